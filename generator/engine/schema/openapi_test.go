package schema

import "testing"

const swagger = `{"definitions":{
	"io.k8s.api.core.v1.Box":{"type":"object","description":"d","required":["size"],
		"x-kubernetes-group-version-kind":[{"group":"","kind":"Box","version":"v1"}],
		"properties":{
			"apiVersion":{"type":"string"},"kind":{"type":"string"},
			"metadata":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta","description":"d"},
			"size":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity"},
			"port":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
			"inner":{"type":"array","x-kubernetes-list-type":"atomic",
				"items":{"$ref":"#/definitions/io.k8s.api.core.v1.Inner"}},
			"raw":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension"},
			"since":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
			"labels":{"type":"object","additionalProperties":{"type":"string"}}}},
	"io.k8s.api.core.v1.Inner":{"type":"object","properties":{"next":{"$ref":"#/definitions/io.k8s.api.core.v1.Inner"}}},
	"io.k8s.api.core.v1.Unreached":{"type":"object"},
	"io.k8s.api.core.v1.Other":{"type":"object","x-kubernetes-group-version-kind":[{"group":"","kind":"Other","version":"v1"}]},
	"io.k8s.apimachinery.pkg.api.resource.Quantity":{"type":"string","description":"d"},
	"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"type":"object","properties":{"name":{"type":"string"}}},
	"io.k8s.apimachinery.pkg.apis.meta.v1.Time":{"type":"string","format":"date-time"},
	"io.k8s.apimachinery.pkg.runtime.RawExtension":{"type":"object"},
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString":{"type":"string","format":"int-or-string"}}}`

func TestOpenAPIKindBringsTheDefinitionsThatItReaches(t *testing.T) {
	schemas, err := fromOpenAPI([]file{{"swagger.json", []byte(swagger)}}, []string{"Box"})
	if err != nil {
		t.Fatal(err)
	}
	got := node{}
	for name, schema := range schemas {
		got[name] = schema
	}
	expect(t, got, decoded(t, `{"core/box_v1.json":{
		"$schema":"http://json-schema.org/draft-04/schema#",
		"type":"object","additionalProperties":false,"required":["apiVersion","kind","metadata","size"],
		"properties":{
			"apiVersion":{"type":"string","enum":["v1"]},"kind":{"type":"string","enum":["Box"]},
			"metadata":{"$ref":"#/definitions/meta.v1.ObjectMeta"},
			"size":{"$ref":"#/definitions/api.resource.Quantity"},
			"port":{"$ref":"#/definitions/util.intstr.IntOrString"},
			"inner":{"type":"array","items":{"$ref":"#/definitions/core.v1.Inner"}},
			"raw":{"$ref":"#/definitions/pkg.runtime.RawExtension"},
			"since":{"$ref":"#/definitions/meta.v1.Time"},
			"labels":{"type":"object","additionalProperties":{"type":"string"}}},
		"definitions":{
			"api.resource.Quantity":{"type":["number","string"],
				"pattern":"^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"},
			"core.v1.Inner":{"type":"object","additionalProperties":false,"properties":{"next":{"$ref":"#/definitions/core.v1.Inner"}}},
			"meta.v1.ObjectMeta":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"}}},
			"meta.v1.Time":{"type":["string","null"],"format":"date-time"},
			"pkg.runtime.RawExtension":{"type":"object"},
			"util.intstr.IntOrString":{"type":["integer","string"]}}}}`))
}

func TestDefinitionsWithOneShortNameAreAFault(t *testing.T) {
	text := `{"definitions":{"a.core.v1.Pod":{"type":"object"},"b.core.v1.Pod":{"type":"object"}}}`
	_, err := fromOpenAPI([]file{{"swagger.json", []byte(text)}}, []string{"Pod"})
	expectFault(t, err, AmbiguousKind, "two definitions are called core.v1.Pod")
}
