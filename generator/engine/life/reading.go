package life

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// What is not there, or of another type, is read as nothing.

func textIn(fields map[string]any, path ...string) string {
	text, _, _ := unstructured.NestedString(fields, path...)
	return text
}

func textAt(one *object, path ...string) string { return textIn(one.Object, path...) }

func boolIn(fields map[string]any, path ...string) bool {
	value, _, _ := unstructured.NestedBool(fields, path...)
	return value
}

func mapIn(fields map[string]any, path ...string) map[string]any {
	found, _, _ := unstructured.NestedFieldNoCopy(fields, path...)
	inside, _ := found.(map[string]any)
	return inside
}

func listIn(fields map[string]any, path ...string) []any {
	found, _, _ := unstructured.NestedFieldNoCopy(fields, path...)
	items, _ := found.([]any)
	return items
}

func mapsIn(fields map[string]any, path ...string) []map[string]any {
	var found []map[string]any
	for _, item := range listIn(fields, path...) {
		if inside, isMap := item.(map[string]any); isMap {
			found = append(found, inside)
		}
	}
	return found
}

func textsIn(fields map[string]any, path ...string) []string {
	var found []string
	for _, item := range listIn(fields, path...) {
		if text, isText := item.(string); isText {
			found = append(found, text)
		}
	}
	return found
}

// set puts a value somewhere into an object, and makes the maps on the way.
func set(one *object, value any, path ...string) {
	inside := one.Object
	for _, step := range path[:len(path)-1] {
		next, isMap := inside[step].(map[string]any)
		if !isMap {
			next = map[string]any{}
			inside[step] = next
		}
		inside = next
	}
	inside[path[len(path)-1]] = value
}

func isOfKind(kinds ...string) func(*object) bool {
	return func(one *object) bool { return slices.Contains(kinds, one.GetKind()) }
}

func sortedKeys[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
