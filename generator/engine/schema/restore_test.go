package schema

import (
	"strings"
	"testing"
)

func TestStructuralSchemasAreHadBackFromJSONSchema(t *testing.T) {
	cases := []struct{ name, structural string }{
		{"a closed object", `{"type":"object","properties":{"a":{"type":"object"}},"required":["a"]}`},
		{"a map of anything", `{"type":"object","additionalProperties":true}`},
		{"a list of unique items", `{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}`},
		{"an integer or string", `{"x-kubernetes-int-or-string":true,"nullable":true,"pattern":"^[0-9]+$"}`},
		{"null beside an enum", `{"type":"string","nullable":true,"enum":["a","b"],"default":"a"}`},
		{"null beside alternatives", `{"type":"object","nullable":true,"anyOf":[{"required":["a"]},{"required":["b"]}],
			"properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":1}}}`},
		{"unknown fields", `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"object"}}}`},
		{"an embedded resource that wants metadata", `{"type":"object","x-kubernetes-embedded-resource":true,
			"x-kubernetes-preserve-unknown-fields":true,"required":["metadata"],"properties":{"apiVersion":{"type":"string"},
			"kind":{"type":"string"},"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":9}}}}}`},
		{"rules", `{"type":"array","items":{"type":"integer"},"maxItems":3,
			"x-kubernetes-validations":[{"rule":"self.all(x, x > 1)","message":"m","fieldPath":".a","reason":"FieldValueInvalid"}]}`},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			structural := decoded(t, each.structural)
			expect(t, (&restoring{}).toStructural(fromStructural(structural, false)), structural)
		})
	}
}

func TestACRDIsRestoredFromItsSchemaWithTheResourceItDefines(t *testing.T) {
	schemas, err := fromCRDs([]file{{"widget.yaml", []byte(widget)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	definition, err := Restore(schemas["example.org/widget_v1.json"])
	if err != nil {
		t.Fatal(err)
	}
	expect(t, definition.Schema, decoded(t, `{"type":"object","required":["spec"],"properties":{
		"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},
		"spec":{"type":"object","properties":{"size":{"type":"integer","format":"int32"}}}}}`))
	expect(t, node{
		"scope": definition.Scope, "plural": definition.Plural,
		"singular": definition.Singular, "subresources": definition.Subresources,
	}, decoded(t, `{"scope":"Namespaced","plural":"widgets","singular":"widget","subresources":{"status":{}}}`))
}

func TestKeptSchemasAreRestoredWithEveryReferenceInPlace(t *testing.T) {
	name := "training-operator/v1.9.4/kubeflow.org/pytorchjob_v1.json"
	kept := keptSchema(t, name)
	before := Text(kept)
	definition, err := Restore(kept)
	if err != nil {
		t.Fatal(err)
	}
	if text := Text(definition.Schema); strings.Contains(text, "$ref") || strings.Contains(text, `"definitions"`) {
		t.Error("there are references left")
	}
	if Text(kept) != before {
		t.Error("the kept schema was changed")
	}
}

func TestASchemaThatCannotBeRestoredIsRefused(t *testing.T) {
	resource := `"x-trainshed-resource":{"scope":"Cluster"}`
	cases := []struct{ name, schema, words string }{
		{"of another origin", `{"type":"object"}`, "lacks x-trainshed-resource"},
		{"without a definition", `{` + resource + `,"properties":{"a":{"$ref":"#/definitions/b"}}}`, `definition "b"`},
		{"that holds itself", `{` + resource + `,"properties":{"a":{"$ref":"#/definitions/b"}},
			"definitions":{"b":{"items":{"$ref":"#/definitions/b"}}}}`, `definition "b"`},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			_, err := Restore(decoded(t, each.schema))
			if err == nil || !strings.Contains(err.Error(), each.words) {
				t.Errorf("got %v", err)
			}
		})
	}
}
