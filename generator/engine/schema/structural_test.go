package schema

import "testing"

func TestStructuralSchemas(t *testing.T) {
	cases := []struct{ name, structural, want string }{
		{
			"an object with fields is closed, and words for people are dropped",
			`{"type":"object","description":"d","title":"t","properties":
				{"name":{"type":"string","description":"d","example":"e","pattern":"^a","minLength":1}}}`,
			`{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","pattern":"^a","minLength":1}}}`,
		},
		{
			"a field may be called like a keyword",
			`{"type":"object","properties":{"description":{"type":"string"},"properties":{"type":"object",
				"properties":{"not":{"type":"boolean"}}},"default":{"type":"integer","default":1}}}`,
			`{"type":"object","additionalProperties":false,"properties":{"description":{"type":"string"},
				"properties":{"type":"object","additionalProperties":false,"properties":{"not":{"type":"boolean"}}},
				"default":{"type":"integer","default":1}}}`,
		},
		{
			"rules and the types of lists and maps stay, also inside alternatives",
			`{"type":"object","x-kubernetes-map-type":"atomic","x-kubernetes-validations":[{"rule":"self.a > 1","message":"m"}],
				"properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
				"items":{"type":"object","properties":{"k":{"type":"string"}}}}},
				"allOf":[{"properties":{"a":{"x-kubernetes-validations":[{"rule":"self.size() > 1"}]}}}]}`,
			`{"type":"object","additionalProperties":false,"x-kubernetes-map-type":"atomic",
				"x-kubernetes-validations":[{"rule":"self.a > 1","message":"m"}],
				"properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
				"items":{"type":"object","additionalProperties":false,"properties":{"k":{"type":"string"}}}}},
				"allOf":[{"properties":{"a":{"x-kubernetes-validations":[{"rule":"self.size() > 1"}]}}}]}`,
		},
		{
			"an object without fields is closed, for the API server prunes whatever is in it",
			`{"type":"object"}`,
			`{"type":"object","additionalProperties":false}`,
		},
		{
			"unknown fields are kept where they are preserved, and not in the known fields below",
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":
				{"known":{"type":"object","properties":{"a":{"type":"string"}}}}}`,
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":
				{"known":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}}}`,
		},
		{
			"a list that preserves unknown fields preserves them in its items",
			`{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"a":{"type":"string"}}}}`,
			`{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"a":{"type":"string"}}}}`,
		},
		{
			"anything goes where a schema has no type and preserves unknown fields",
			`{"x-kubernetes-preserve-unknown-fields":true}`,
			`{"x-kubernetes-preserve-unknown-fields":true}`,
		},
		{
			"a map keeps the schema of its values",
			`{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}}`,
			`{"type":"object","additionalProperties":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}}`,
		},
		{
			"a required field with a default may be left out",
			`{"type":"object","required":["b","a"],"properties":{"a":{"type":"integer","default":0},"b":{"type":"integer","minimum":1}}}`,
			`{"type":"object","additionalProperties":false,"required":["b"],"properties":{"a":{"type":"integer","default":0},
				"b":{"type":"integer","minimum":1}}}`,
		},
		{
			"required is dropped where every such field has a default",
			`{"type":"object","required":["a"],"properties":{"a":{"type":"integer","default":0}}}`,
			`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer","default":0}}}`,
		},
		{
			"int-or-string in controller-gen's spelling",
			`{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^[0-9]+$"}`,
			`{"type":["integer","string"],"x-kubernetes-int-or-string":true,"pattern":"^[0-9]+$"}`,
		},
		{
			"int-or-string without a type of its own",
			`{"x-kubernetes-int-or-string":true}`,
			`{"type":["integer","string"],"x-kubernetes-int-or-string":true}`,
		},
		{
			"null is taken where a field is nullable, also beside an enum",
			`{"type":"string","nullable":true,"enum":["a","b"]}`,
			`{"type":["string","null"],"nullable":true,"enum":["a","b",null]}`,
		},
		{
			"null is taken where a nullable field takes integers and strings",
			`{"x-kubernetes-int-or-string":true,"nullable":true}`,
			`{"type":["integer","string","null"],"x-kubernetes-int-or-string":true,"nullable":true}`,
		},
		{
			"null is taken where a nullable field is judged by alternatives",
			`{"type":"integer","nullable":true,"oneOf":[{"minimum":5},{"maximum":3}]}`,
			`{"anyOf":[{"type":"null"},{"type":"integer","nullable":true,"oneOf":[{"minimum":5},{"maximum":3}]}]}`,
		},
		{
			"alternatives close nothing, and count a field with a default as present",
			`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string","default":""}}},"b":{"type":"string"}},
				"oneOf":[{"required":["b"],"properties":{"a":{"description":"d","required":["x"]}}},{"not":{"required":["b"]}}]}`,
			`{"type":"object","additionalProperties":false,
				"properties":{"a":{"type":"object","additionalProperties":false,"properties":{"x":{"type":"string","default":""}}},"b":{"type":"string"}},
				"oneOf":[{"required":["b"],"properties":{"a":{}}},{"not":{"required":["b"]}}]}`,
		},
		{
			"a set has no equal items",
			`{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","enum":["a","b"]},"maxItems":2}`,
			`{"type":"array","uniqueItems":true,"x-kubernetes-list-type":"set","items":{"type":"string","enum":["a","b"]},"maxItems":2}`,
		},
		{
			"a flag of a pattern comes first, as Python wants it",
			`{"type":"string","pattern":"^(?i)(abort|warn)?$"}`,
			`{"type":"string","pattern":"(?i)^(abort|warn)?$"}`,
		},
		{
			"bounds are those of draft 4",
			`{"type":"number","format":"double","minimum":0,"exclusiveMinimum":true,"maximum":1.5,"multipleOf":0.5}`,
			`{"type":"number","format":"double","minimum":0,"exclusiveMinimum":true,"maximum":1.5,"multipleOf":0.5}`,
		},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			expect(t, fromStructural(decoded(t, each.structural), false), decoded(t, each.want))
		})
	}
}

func TestEmbeddedResourceHasTypeAndMetadata(t *testing.T) {
	got := fromStructural(decoded(t, `{"type":"object","x-kubernetes-embedded-resource":true,
		"x-kubernetes-preserve-unknown-fields":true,
		"properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":9}}}}}`), false)
	metadata := objectMeta()
	metadata["properties"].(node)["name"] = decoded(t, `{"type":"string","maxLength":9}`)
	expect(t, got, node{
		"type":                                 "object",
		"x-kubernetes-embedded-resource":       true,
		"x-kubernetes-preserve-unknown-fields": true,
		"required":                             asList("apiVersion", "kind"),
		"properties": node{
			"apiVersion": node{"type": "string"},
			"kind":       node{"type": "string"},
			"metadata":   metadata,
		},
	})
}

func decoded(t *testing.T, text string) node {
	t.Helper()
	object, err := decodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func expect(t *testing.T, got, want node) {
	t.Helper()
	if Text(got) != Text(want) {
		t.Errorf("got:\n%swant:\n%s", Text(got), Text(want))
	}
}
