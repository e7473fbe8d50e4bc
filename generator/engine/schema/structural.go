package schema

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// keptKeywords mean the same in a structural schema, in OpenAPI 2 and in JSON Schema draft 4.
var keptKeywords = []string{
	"enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties",
	"maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "pattern", "type", "uniqueItems",
}

// Beside those, a schema that only judges values holds both of these; a structural schema judges by the first.
var (
	combiningKeywords = []string{"allOf", "anyOf", "not", "oneOf"}
	nestingKeywords   = []string{"additionalProperties", "items", "properties"}
)

// admissionKeywords are those by which the API server defaults, decodes and judges beyond JSON Schema, whose judges
// pass over them. They stay where they stand, so that the structural schema can be had back.
var admissionKeywords = []string{
	"default", "nullable", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
	"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
	"x-kubernetes-preserve-unknown-fields", rulesKeyword,
}

// rulesKeyword holds CEL rules, also inside allOf.
const rulesKeyword = "x-kubernetes-validations"

// fromStructural turns a CRD's structural schema into JSON Schema. toStructural is the way back. An object is closed where the API server
// prunes. It stays open under x-kubernetes-preserve-unknown-fields, which a list hands on to its items and an
// object does not hand on to its fields (k8s.io/apiextensions-apiserver, pkg/apiserver/schema/pruning).
func fromStructural(in node, keepsUnknown bool) node {
	keepsUnknown = keepsUnknown || in["x-kubernetes-preserve-unknown-fields"] == true
	out := fromAssertion(keep(in, keptKeywords, combiningKeywords, []string{"required"}), in)
	maps.Copy(out, keep(in, admissionKeywords))
	if fields := asNode(in["properties"]); fields != nil {
		children := make(node, len(fields))
		for name, child := range fields {
			children[name] = fromStructural(asNode(child), false)
		}
		out["properties"] = children
	}
	if items := asNode(in["items"]); items != nil {
		out["items"] = fromStructural(items, keepsUnknown)
	}
	switch values := in["additionalProperties"].(type) {
	case node:
		out["additionalProperties"] = fromStructural(values, false)
	case bool:
		out["additionalProperties"] = values
	default:
		if in["type"] == "object" && !keepsUnknown {
			out["additionalProperties"] = false
		}
	}
	if in["x-kubernetes-list-type"] == "set" {
		out["uniqueItems"] = true
	}
	if in["x-kubernetes-embedded-resource"] == true {
		embed(out)
	}
	if in["x-kubernetes-int-or-string"] == true {
		allowIntegerOrString(out)
	}
	if in["nullable"] == true {
		return allowNull(out)
	}
	return out
}

// fromAssertion turns a schema that only judges values into JSON Schema. It says nothing about which fields
// exist, so nothing in it is closed. shape is the structural schema of the same value: a field with a default
// there counts as present, for the API server fills it in before it judges.
func fromAssertion(in, shape node) node {
	kept := keep(in, keptKeywords, combiningKeywords, nestingKeywords, []string{rulesKeyword})
	out := mapChildren(kept, func(at place, child node) node {
		return fromAssertion(child, shapeAt(shape, at))
	})
	if pattern := asText(out["pattern"]); pattern != "" {
		out["pattern"] = portablePattern(pattern)
	}
	requireFields(out, slices.DeleteFunc(asStrings(in["required"]), func(name string) bool {
		_, filled := asNode(asNode(shape["properties"])[name])["default"]
		return filled
	}))
	return out
}

// portablePattern spells a pattern that ignores case so that Python takes it, and means the same in Go:
// Python wants the flag to come first.
func portablePattern(pattern string) string {
	if rest, late := strings.CutPrefix(pattern, "^(?i)"); late {
		return "(?i)^" + rest
	}
	return pattern
}

// shapeAt returns the structural schema of the value that an assertion standing at a place is about.
func shapeAt(shape node, at place) node {
	switch at.keyword {
	case "properties":
		return asNode(asNode(shape["properties"])[at.name])
	case "items", "additionalProperties":
		return asNode(shape[at.keyword])
	default:
		return shape
	}
}

// requireFields sets `required`, which draft 4 does not allow to be empty.
func requireFields(out node, names []string) {
	delete(out, "required")
	if len(names) > 0 {
		slices.Sort(names)
		out["required"] = asList(slices.Compact(names)...)
	}
}

// allowIntegerOrString lets out take both; controller-gen's own spelling of it would say so twice.
func allowIntegerOrString(out node) {
	bothTypes := []any{node{"type": "integer"}, node{"type": "string"}}
	if reflect.DeepEqual(out["anyOf"], bothTypes) {
		delete(out, "anyOf")
	}
	out["type"] = asList("integer", "string")
}

// allowNull lets out take null as well, whatever else it asserts.
func allowNull(out node) node {
	if len(keep(out, combiningKeywords)) > 0 {
		return node{"anyOf": []any{node{"type": "null"}, out}}
	}
	switch types := out["type"].(type) {
	case string:
		out["type"] = asList(types, "null")
	case []any:
		out["type"] = append(types, "null")
	}
	if values, ok := out["enum"].([]any); ok && !slices.Contains(values, nil) {
		out["enum"] = append(slices.Clone(values), nil)
	}
	return out
}
