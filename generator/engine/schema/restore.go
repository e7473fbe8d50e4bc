package schema

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
)

// Definition is what a kept schema knows of the CRD that it was derived from.
type Definition struct {
	APIVersion   string         // of this one version
	Kind         string         // such as RayJob
	Scope        string         // Namespaced or Cluster
	Plural       string         // such as rayjobs
	Singular     string         // such as rayjob
	Subresources map[string]any // as in the CRD: status, scale
	Schema       map[string]any // the structural schema, openAPIV3Schema
}

// Restore turns a schema that was derived from a CRD back into the CRD's own. It refuses one of another origin.
func Restore(kept map[string]any) (Definition, error) {
	resource := asNode(kept[resourceKeyword])
	if resource == nil {
		return Definition{}, fmt.Errorf("the schema lacks %s, which one derived from a CRD has", resourceKeyword)
	}
	written := asNode(kept["properties"])
	restoring := restoring{definitions: asNode(kept["definitions"]), restored: map[string]node{}}
	root := restoring.toStructural(kept)
	for _, keyword := range []string{"$schema", "definitions", resourceKeyword} {
		delete(root, keyword)
	}
	release(root, "apiVersion", "kind", "metadata")
	for _, name := range []string{"apiVersion", "kind"} {
		asNode(root["properties"])[name] = node{"type": "string"}
	}
	return Definition{
		APIVersion:   only(written["apiVersion"]),
		Kind:         only(written["kind"]),
		Scope:        asText(resource["scope"]),
		Plural:       asText(resource["plural"]),
		Singular:     asText(resource["singular"]),
		Subresources: asNode(resource["subresources"]),
		Schema:       root,
	}, restoring.failure
}

// only is the one text that identify lets a field be.
func only(field any) string {
	values := asStrings(asNode(field)["enum"])
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// restoring puts definitions back in their places, one restored node in all of them; it is nil while it is made.
type restoring struct {
	definitions node
	restored    map[string]node
	failure     error
}

// toStructural undoes what sharing and fromStructural did, but for what no admission depends on: descriptions, the
// anyOf that says again what int-or-string says, the demand for fields that have a default, and where a pattern's flag
// stands.
func (r *restoring) toStructural(in node) node {
	if target := asText(in["$ref"]); target != "" {
		return r.expand(path.Base(target))
	}
	if alternatives, _ := in["anyOf"].([]any); len(alternatives) == 2 && asNode(alternatives[0])["type"] == "null" {
		return r.toStructural(asNode(alternatives[1]))
	}
	out := mapChildren(in, func(at place, child node) node {
		if at.keyword == "definitions" {
			return nil
		}
		return r.toStructural(child)
	})
	if out["additionalProperties"] == false {
		delete(out, "additionalProperties")
	}
	delete(out, "uniqueItems")
	if out["nullable"] == true {
		forbidNull(out)
	}
	if out["x-kubernetes-int-or-string"] == true {
		delete(out, "type")
	}
	if out["x-kubernetes-embedded-resource"] == true {
		release(out, "apiVersion", "kind")
	}
	return out
}

func (r *restoring) expand(name string) node {
	made, known := r.restored[name]
	if !known {
		r.restored[name] = nil
		made = r.toStructural(asNode(r.definitions[name]))
		r.restored[name] = made
	}
	if made == nil {
		r.failure = fmt.Errorf("definition %q is missing or holds itself", name)
	}
	return made
}

// forbidNull undoes allowNull: nullable itself says what it did.
func forbidNull(out node) {
	if types, isList := out["type"].([]any); isList && len(types) > 0 {
		out["type"] = types[0]
	}
	if values, isList := out["enum"].([]any); isList {
		out["enum"] = slices.DeleteFunc(slices.Clone(values), func(value any) bool { return value == nil })
	}
}

// release undoes embed and identify: the API server itself demands those fields, and lets a CRD narrow nothing of
// metadata but the names.
func release(out node, demanded ...string) {
	requireFields(out, slices.DeleteFunc(asStrings(out["required"]), func(name string) bool {
		return slices.Contains(demanded, name)
	}))
	fields := asNode(out["properties"])
	if fields == nil {
		fields = node{}
		out["properties"] = fields
	}
	narrowed := keep(asNode(asNode(fields["metadata"])["properties"]), narrowedFields)
	maps.DeleteFunc(narrowed, func(_ string, field any) bool { return reflect.DeepEqual(field, node{"type": "string"}) })
	fields["metadata"] = node{"type": "object"}
	if len(narrowed) > 0 {
		fields["metadata"] = node{"type": "object", "properties": narrowed}
	}
}
