package schema

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var documentMark = regexp.MustCompile(`(?m)^---\s*$`)

// fromCRDs derives a schema of every served version of the CRDs in the files, by address. No kinds means all.
func fromCRDs(files []file, kinds []string) (map[string]node, error) {
	schemas := map[string]node{}
	for _, file := range files {
		for _, document := range documentMark.Split(string(file.text), -1) {
			crd, err := decodeYAML([]byte(document))
			if err != nil {
				return nil, fault(UnreadableFile, "%s: %v", file.path, err)
			}
			if crd["kind"] != "CustomResourceDefinition" || !wanted(kinds, asNode(crd["spec"])) {
				continue
			}
			for name, schema := range fromCRD(asNode(crd["spec"])) {
				if schemas[name] != nil {
					return nil, fault(AmbiguousKind, "%s: %s is defined twice in this release", file.path, name)
				}
				schemas[name] = schema
			}
		}
	}
	return schemas, nil
}

func wanted(kinds []string, spec node) bool {
	return len(kinds) == 0 || slices.Contains(kinds, asText(asNode(spec["names"])["kind"]))
}

// fromCRD derives the schemas of one CRD's served versions.
func fromCRD(spec node) map[string]node {
	group, kind := asText(spec["group"]), asText(asNode(spec["names"])["kind"])
	versions, _ := spec["versions"].([]any)
	schemas := map[string]node{}
	for _, entry := range versions {
		version := asNode(entry)
		if version["served"] != true {
			continue
		}
		name := asText(version["name"])
		root := fromStructural(asNode(asNode(version["schema"])["openAPIV3Schema"]), false)
		embed(root)
		root[resourceKeyword] = resourceOf(spec, version)
		schemas[Address(group, kind, name)] = shared(identify(root, path.Join(group, name), kind))
	}
	return schemas
}

// resourceKeyword holds, at the root of a schema, what the CRD says of the resource beside its schema.
const resourceKeyword = "x-trainshed-resource"

func resourceOf(spec, version node) node {
	names := asNode(spec["names"])
	resource := node{"scope": spec["scope"], "plural": names["plural"], "singular": names["singular"]}
	if names["singular"] == nil {
		resource["singular"] = strings.ToLower(asText(names["kind"]))
	}
	if subresources := asNode(version["subresources"]); len(subresources) > 0 {
		resource["subresources"] = subresources
	}
	return resource
}
