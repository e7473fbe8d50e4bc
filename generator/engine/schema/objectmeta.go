package schema

import "slices"

// objectMeta is the schema of metadata: every field of meta/v1 ObjectMeta, and no other.
func objectMeta() node {
	text := func() node { return node{"type": "string"} }
	texts := func() node { return node{"type": "object", "additionalProperties": text()} }
	flag := func() node { return node{"type": "boolean"} }
	number := func() node { return node{"type": "integer", "format": "int64"} }
	return node{
		"type":                 "object",
		"additionalProperties": false,
		"properties": node{
			"annotations":                texts(),
			"creationTimestamp":          zeroableTime(),
			"deletionGracePeriodSeconds": number(),
			"deletionTimestamp":          zeroableTime(),
			"finalizers":                 node{"type": "array", "items": text()},
			"generateName":               text(),
			"generation":                 number(),
			"labels":                     texts(),
			"managedFields":              node{"type": "array", "items": node{"type": "object"}},
			"name":                       text(),
			"namespace":                  text(),
			"ownerReferences": node{"type": "array", "items": node{
				"type":                 "object",
				"additionalProperties": false,
				"required":             asList("apiVersion", "kind", "name", "uid"),
				"properties": node{
					"apiVersion": text(), "blockOwnerDeletion": flag(), "controller": flag(),
					"kind": text(), "name": text(), "uid": text(),
				},
			}},
			"resourceVersion": text(),
			"selfLink":        text(),
			"uid":             text(),
		},
	}
}

// zeroableTime is the schema of a meta/v1 Time, which Go programs write as null where it is not set.
func zeroableTime() node { return node{"type": asList("string", "null"), "format": "date-time"} }

// narrowedFields are those of metadata that a CRD may say something about.
var narrowedFields = []string{"generateName", "name"}

// narrowedObjectMeta is objectMeta with what a CRD asserts of its names.
func narrowedObjectMeta(written node) node {
	meta := objectMeta()
	for _, name := range narrowedFields {
		if narrower := asNode(asNode(written["properties"])[name]); narrower != nil {
			asNode(meta["properties"])[name] = fromStructural(narrower, false)
		}
	}
	return meta
}

// embed gives out, the schema of an embedded resource, the three fields that every object has.
func embed(out node) {
	fields := asNode(out["properties"])
	if fields == nil {
		fields = node{}
		out["properties"] = fields
	}
	for _, name := range []string{"apiVersion", "kind"} {
		if fields[name] == nil {
			fields[name] = node{"type": "string"}
		}
	}
	fields["metadata"] = narrowedObjectMeta(asNode(fields["metadata"]))
	requireFields(out, append(asStrings(out["required"]), "apiVersion", "kind"))
}

// identify makes out the schema of one kind: an object that names itself.
func identify(out node, apiVersion, kind string) node {
	out["$schema"] = "http://json-schema.org/draft-04/schema#"
	fields := asNode(out["properties"])
	fields["apiVersion"] = node{"type": "string", "enum": asList(apiVersion)}
	fields["kind"] = node{"type": "string", "enum": asList(kind)}
	requireFields(out, slices.Concat(asStrings(out["required"]), []string{"apiVersion", "kind", "metadata"}))
	return out
}
