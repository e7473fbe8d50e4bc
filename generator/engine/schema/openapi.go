package schema

import (
	"path"
	"slices"
	"strings"
)

// quantityPattern is what Kubernetes takes for a quantity (k8s.io/apimachinery, pkg/api/resource/quantity.go).
const quantityPattern = `^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`

// writtenByHand are the definitions, by short name, whose OpenAPI text says less or other than what Kubernetes takes.
var writtenByHand = map[string]node{
	"api.resource.Quantity":                         {"type": asList("number", "string"), "pattern": quantityPattern},
	"util.intstr.IntOrString":                       {"type": asList("integer", "string")},
	"pkg.runtime.RawExtension":                      {"type": "object"},
	"meta.v1.Time":                                  zeroableTime(),
	"meta.v1.FieldsV1":                              {"type": "object"},
	"apiextensions.v1.JSON":                         {},
	"apiextensions.v1.JSONSchemaPropsOrArray":       {"type": asList("array", "object")},
	"apiextensions.v1.JSONSchemaPropsOrBool":        {"type": asList("boolean", "object")},
	"apiextensions.v1.JSONSchemaPropsOrStringArray": {"type": asList("array", "object")},
}

// fromOpenAPI derives a schema of each of the kinds that an OpenAPI 2 file (api/openapi-spec/swagger.json)
// defines, by address. The definitions that a kind reaches come along under short names.
func fromOpenAPI(files []file, kinds []string) (map[string]node, error) {
	schemas := map[string]node{}
	for _, file := range files {
		document, err := decodeJSON(file.text)
		if err != nil {
			return nil, fault(UnreadableFile, "%s: %v", file.path, err)
		}
		written := asNode(document["definitions"])
		definitions, err := fromDefinitions(written)
		if err != nil {
			return nil, err
		}
		for _, name := range sortedKeys(written) {
			group, version, kind := identity(asNode(written[name]))
			if !slices.Contains(kinds, kind) {
				continue
			}
			root := mapChildren(definitions[shortName(name)], func(_ place, child node) node { return child })
			if reached := reachable(root, definitions); len(reached) > 0 {
				root["definitions"] = reached
			}
			schemas[Address(group, kind, version)] = identify(root, path.Join(group, version), kind)
		}
	}
	return schemas, nil
}

// identity is the one group, version and kind that a definition stands for; "" for what is no kind of its own.
func identity(definition node) (group, version, kind string) {
	identities, _ := definition["x-kubernetes-group-version-kind"].([]any)
	if len(identities) != 1 {
		return "", "", ""
	}
	only := asNode(identities[0])
	return asText(only["group"]), asText(only["version"]), asText(only["kind"])
}

// fromDefinitions turns every OpenAPI definition into JSON Schema, by short name.
func fromDefinitions(written node) (map[string]node, error) {
	definitions := make(map[string]node, len(written))
	for _, name := range sortedKeys(written) {
		short := shortName(name)
		if definitions[short] != nil {
			return nil, fault(AmbiguousKind, "two definitions are called %s", short)
		}
		definitions[short] = fromDefinition(asNode(written[name]))
		if hand := writtenByHand[short]; hand != nil {
			definitions[short] = hand
		}
	}
	return definitions, nil
}

// fromDefinition turns one OpenAPI schema into JSON Schema. An object takes only the fields it lists: the API
// server decodes built-in kinds into types that have no others.
func fromDefinition(in node) node {
	if target, ok := in["$ref"].(string); ok {
		return node{"$ref": "#/definitions/" + shortName(path.Base(target))}
	}
	out := keep(in, keptKeywords, nestingKeywords)
	out = mapChildren(out, func(_ place, child node) node { return fromDefinition(child) })
	if _, open := out["additionalProperties"]; in["type"] == "object" && !open {
		out["additionalProperties"] = false
	}
	requireFields(out, asStrings(in["required"]))
	return out
}

// shortName keeps the group, version and kind of a definition's name: io.k8s.api.core.v1.Pod is core.v1.Pod.
func shortName(name string) string {
	words := strings.Split(name, ".")
	return strings.Join(words[max(0, len(words)-3):], ".")
}

// reachable gathers the definitions that root refers to, directly or through others.
func reachable(root node, definitions map[string]node) node {
	reached := node{}
	var visit func(place, node) node
	visit = func(_ place, child node) node {
		name := path.Base(asText(child["$ref"]))
		if definition := definitions[name]; definition != nil && reached[name] == nil {
			reached[name] = definition
			mapChildren(definition, visit)
		}
		return mapChildren(child, visit)
	}
	mapChildren(root, visit)
	return reached
}
