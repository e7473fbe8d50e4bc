package schema

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trainshed.dev/engine/wire"
)

const widget = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          description: a widget
          required: [spec]
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            spec:
              type: object
              properties:
                size: {type: integer, format: int32}
    - name: v1beta1
      served: false
      storage: false
      schema: {openAPIV3Schema: {type: object}}
`

const kustomization = "resources: [widget.yaml]\nkind: Kustomization\n"

func TestEveryServedVersionOfACRDHasASchema(t *testing.T) {
	schemas, err := fromModule(fstest.MapFS{
		"crds/widget.yaml":        {Data: []byte(widget)},
		"crds/kustomization.yaml": {Data: []byte(kustomization)},
	}, Request{Paths: []string{"crds/*.yaml"}, Form: "crd"})
	if err != nil {
		t.Fatal(err)
	}
	if names := sortedKeys(schemas); !slices.Equal(names, []string{"example.org/widget_v1.json"}) {
		t.Fatalf("got %v", names)
	}
	text := Text(schemas["example.org/widget_v1.json"])
	if text != widgetSchema {
		t.Errorf("got:\n%s", text)
	}
}

const widgetSchema = `{
 "$schema":"http://json-schema.org/draft-04/schema#",
 "additionalProperties":false,
 "properties":{
  "apiVersion":{"enum":["example.org/v1"],"type":"string"},
  "kind":{"enum":["Widget"],"type":"string"},
  "metadata":{
   "additionalProperties":false,
   "properties":{
    "annotations":{"additionalProperties":{"type":"string"},"type":"object"},
    "creationTimestamp":{"format":"date-time","type":["string","null"]},
    "deletionGracePeriodSeconds":{"format":"int64","type":"integer"},
    "deletionTimestamp":{"format":"date-time","type":["string","null"]},
    "finalizers":{"items":{"type":"string"},"type":"array"},
    "generateName":{"type":"string"},
    "generation":{"format":"int64","type":"integer"},
    "labels":{"additionalProperties":{"type":"string"},"type":"object"},
    "managedFields":{"items":{"type":"object"},"type":"array"},
    "name":{"type":"string"},
    "namespace":{"type":"string"},
    "ownerReferences":{
     "items":{
      "additionalProperties":false,
      "properties":{
       "apiVersion":{"type":"string"},
       "blockOwnerDeletion":{"type":"boolean"},
       "controller":{"type":"boolean"},
       "kind":{"type":"string"},
       "name":{"type":"string"},
       "uid":{"type":"string"}
      },
      "required":["apiVersion","kind","name","uid"],
      "type":"object"
     },
     "type":"array"
    },
    "resourceVersion":{"type":"string"},
    "selfLink":{"type":"string"},
    "uid":{"type":"string"}
   },
   "type":"object"
  },
  "spec":{"additionalProperties":false,"properties":{"size":{"format":"int32","type":"integer"}},"type":"object"}
 },
 "required":["apiVersion","kind","metadata","spec"],
 "type":"object",
 "x-trainshed-resource":{"plural":"widgets","scope":"Namespaced","singular":"widget","subresources":{"status":{}}}
}
`

func TestFaultsOfARelease(t *testing.T) {
	cases := []struct {
		name    string
		files   map[string]string
		request Request
		kind    string
		words   string
	}{
		{
			"a schema that does not compile",
			map[string]string{"a.yaml": strings.Replace(widget, "format: int32", `pattern: "("`, 1)},
			Request{Paths: []string{"*.yaml"}, Form: "crd"},
			BadSchema, "example.org/widget_v1.json does not compile",
		},
		{
			"a pattern that matches nothing",
			map[string]string{"a.yaml": widget},
			Request{Paths: []string{"crds/*.yaml"}, Form: "crd"},
			NoFile, `no file of this release matches "crds/*.yaml"`,
		},
		{
			"a kind that is not there",
			map[string]string{"a.yaml": widget},
			Request{Paths: []string{"*.yaml"}, Form: "crd", Kinds: []string{"Widget", "Gadget"}},
			NoKind, "define no Gadget",
		},
		{
			"no kind at all",
			map[string]string{"a.yaml": kustomization},
			Request{Paths: []string{"*.yaml"}, Form: "crd"},
			NoKind, "define no kind",
		},
		{
			"a kind that is defined twice",
			map[string]string{"a.yaml": widget, "b.yaml": widget},
			Request{Paths: []string{"*.yaml"}, Form: "crd"},
			AmbiguousKind, "b.yaml: example.org/widget_v1.json is defined twice",
		},
		{
			"a file that is no YAML",
			map[string]string{"a.yaml": "a: [\n"},
			Request{Paths: []string{"*.yaml"}, Form: "crd"},
			UnreadableFile, "a.yaml",
		},
		{
			"a form that does not exist",
			map[string]string{"a.yaml": widget},
			Request{Paths: []string{"*.yaml"}, Form: "xsd"},
			wire.BadRequest, `form "xsd" is neither crd nor openapi`,
		},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			release := fstest.MapFS{}
			for name, text := range each.files {
				release[name] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := fromModule(release, each.request)
			expectFault(t, err, each.kind, each.words)
		})
	}
}

func TestOnlyTheKindsAskedForAreDerived(t *testing.T) {
	gadget := strings.NewReplacer("Widget", "Gadget", "widgets", "gadgets").Replace(widget)
	schemas, err := fromCRDs([]file{{"all.yaml", []byte(widget + gadget)}}, []string{"Gadget"})
	if err != nil {
		t.Fatal(err)
	}
	if names := slices.Collect(maps.Keys(schemas)); !slices.Equal(names, []string{"example.org/gadget_v1.json"}) {
		t.Errorf("got %v", names)
	}
}

func expectFault(t *testing.T, err error, kind, words string) {
	t.Helper()
	var found *wire.Fault
	if !errors.As(err, &found) {
		t.Fatalf("no fault, but %v", err)
	}
	if found.Kind != kind || !strings.Contains(found.Message, words) {
		t.Errorf("got %s: %s", found.Kind, found.Message)
	}
}
