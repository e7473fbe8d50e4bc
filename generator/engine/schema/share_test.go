package schema

import (
	"path"
	"testing"
)

func TestWhatRepeatsIsWrittenOnce(t *testing.T) {
	probe := `{"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"},"port":{"type":"integer"}}}`
	whole := decoded(t, `{"type":"object","properties":{
		"liveness":{"type":"array","items":`+probe+`},
		"readiness":`+probe+`,
		"short":{"type":"string"},"alsoShort":{"type":"string"}}}`)
	got := shared(whole)
	expect(t, got, decoded(t, `{"type":"object","properties":{
		"liveness":{"type":"array","items":{"$ref":"#/definitions/liveness"}},
		"readiness":{"$ref":"#/definitions/liveness"},
		"short":{"type":"string"},"alsoShort":{"type":"string"}},
		"definitions":{"liveness":`+probe+`}}`))
	expect(t, expanded(got, got), whole)
}

func TestWhatRepeatsInsideWhatRepeatsIsSharedToo(t *testing.T) {
	inner := `{"type":"string","pattern":"^a-pattern-that-is-long-enough-to-be-worth-a-reference-of-its-own$"}`
	outer := `{"type":"object","properties":{"a":` + inner + `,"b":` + inner + `}}`
	whole := decoded(t, `{"properties":{"x/y":`+outer+`,"z":`+outer+`,"a":`+inner+`}}`)
	got := shared(whole)
	expect(t, got, decoded(t, `{
		"properties":{"x/y":{"$ref":"#/definitions/x-y"},"z":{"$ref":"#/definitions/x-y"},"a":{"$ref":"#/definitions/a"}},
		"definitions":{"a":`+inner+`,
			"x-y":{"type":"object","properties":{"a":{"$ref":"#/definitions/a"},"b":{"$ref":"#/definitions/a"}}}}}`))
	expect(t, expanded(got, got), whole)
}

func TestDefinitionsOfOneFieldNameAreNumbered(t *testing.T) {
	first := `{"type":"string","pattern":"^the-first-of-two-patterns-that-are-long-enough-to-be-worth-a-definition-and-its-references$"}`
	second := `{"type":"string","pattern":"^the-second-of-two-patterns-that-are-long-enough-to-be-worth-a-definition-and-its-references$"}`
	twice := func(inner string) string { return `{"properties":{"name":` + inner + `},"items":` + inner + `}` }
	got := shared(decoded(t, `{"properties":{"a":`+twice(first)+`,"b":`+twice(second)+`}}`))
	definitions := decoded(t, `{"name":`+first+`,"name2":`+second+`}`)
	expect(t, asNode(got["definitions"]), definitions)
}

func TestKeptSchemasExpandToWhatIsSharedInTheSameWay(t *testing.T) {
	for _, name := range []string{
		"argo-cd/v3.5.7/argoproj.io/applicationset_v1alpha1.json",
		"kueue/v0.19.2/kueue.x-k8s.io/workload_v1beta2.json",
		"training-operator/v1.9.4/kubeflow.org/pytorchjob_v1.json",
	} {
		t.Run(name, func(t *testing.T) {
			schema := keptSchema(t, name)
			if again := Text(shared(expanded(schema, schema))); again != Text(schema) {
				t.Errorf("%d bytes became %d", len(Text(schema)), len(again))
			}
		})
	}
}

// expanded puts the target of every reference back in its place.
func expanded(in, root node) node {
	out := mapChildren(in, func(_ place, child node) node {
		if target := asText(child["$ref"]); target != "" {
			child = asNode(asNode(root["definitions"])[path.Base(target)])
		}
		return expanded(child, root)
	})
	delete(out, "definitions")
	return out
}
