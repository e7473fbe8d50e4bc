// Package schema derives JSON Schemas (draft 4, as kubeconform reads them) from the files inside the
// Go modules of Kubernetes and its operators.
package schema

import (
	"maps"
	"slices"
)

// node is one schema as decoded JSON: the values are node, []any, string, bool, json.Number or nil.
type node = map[string]any

// place says where in its parent a schema stands; name is empty but for members of a map of schemas.
type place struct{ keyword, name string }

// Where one schema holds others, by keyword.
var (
	mapsOfSchemas  = []string{"definitions", "properties"}
	listsOfSchemas = []string{"allOf", "anyOf", "oneOf"}
	singleSchemas  = []string{"additionalProperties", "items", "not"}
)

// mapChildren returns a copy of in with change applied, in a fixed order, to every schema directly inside it.
func mapChildren(in node, change func(at place, child node) node) node {
	out := maps.Clone(in)
	for _, keyword := range mapsOfSchemas {
		if children := asNode(in[keyword]); children != nil {
			changed := make(node, len(children))
			for _, name := range sortedKeys(children) {
				changed[name] = change(place{keyword, name}, asNode(children[name]))
			}
			out[keyword] = changed
		}
	}
	for _, keyword := range listsOfSchemas {
		if children, ok := in[keyword].([]any); ok {
			changed := make([]any, len(children))
			for i, child := range children {
				changed[i] = change(place{keyword: keyword}, asNode(child))
			}
			out[keyword] = changed
		}
	}
	for _, keyword := range singleSchemas {
		if child := asNode(in[keyword]); child != nil {
			out[keyword] = change(place{keyword: keyword}, child)
		}
	}
	return out
}

// keep returns a new schema with those of the keywords that in has.
func keep(in node, keywords ...[]string) node {
	out := node{}
	for _, keyword := range slices.Concat(keywords...) {
		if value, ok := in[keyword]; ok {
			out[keyword] = value
		}
	}
	return out
}

// asNode returns value as an object, or nil where it is something else.
func asNode(value any) node {
	object, _ := value.(node)
	return object
}

// asText returns value as a string, or "" where it is something else.
func asText(value any) string {
	text, _ := value.(string)
	return text
}

// asStrings returns the strings of a decoded JSON list.
func asStrings(value any) []string {
	list, _ := value.([]any)
	texts := make([]string, 0, len(list))
	for _, entry := range list {
		texts = append(texts, asText(entry))
	}
	return texts
}

// asList returns texts as a decoded JSON list.
func asList(texts ...string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

func sortedKeys[V any](object map[string]V) []string {
	return slices.Sorted(maps.Keys(object))
}
