package schema

import (
	"encoding/json"
	"io/fs"
	"slices"

	"trainshed.dev/engine/wire"
)

// Request asks for the schemas of one release of one module.
type Request struct {
	Module      string            `json:"module"`      // a Go module path
	Version     string            `json:"version"`     // an exact release
	Paths       []string          `json:"paths"`       // files inside the module, as patterns of io/fs.Glob
	Form        string            `json:"form"`        // "crd" or "openapi"
	Kinds       []string          `json:"kinds"`       // which kinds; for "crd", none means all
	Environment map[string]string `json:"environment"` // what `go` runs in: PATH, HOME, GOPROXY, …
}

// Response holds the text of each schema file by its place under the release, "<group>/<kind>_<version>.json".
type Response struct {
	Schemas map[string]string `json:"schemas"`
	Sum     string            `json:"sum"` // of the module, as in go.sum
	Go      string            `json:"go"`  // the version of the `go` that fetched it
}

// Derive answers a Request with a Response: it lets `go` download the release and derives its schemas.
// The texts depend on the release, the paths and the kinds alone.
func Derive(body json.RawMessage) (any, error) {
	request, err := wire.Decode[Request](body)
	if err != nil {
		return nil, err
	}
	tool, err := findGo(request.Environment)
	if err != nil {
		return nil, err
	}
	release, err := tool.download(request.Module, request.Version)
	if err != nil {
		return nil, err
	}
	schemas, err := fromModule(release.files, request)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(schemas))
	for name, schema := range schemas {
		texts[name] = Text(schema)
	}
	return Response{texts, release.sum, tool.version}, nil
}

// fromModule derives the schemas of the files that the request names, and compiles each.
func fromModule(release fs.FS, request Request) (map[string]node, error) {
	files, err := readFiles(release, request.Paths)
	if err != nil {
		return nil, err
	}
	schemas, err := fromFiles(files, request)
	if err != nil {
		return nil, err
	}
	if err := haveAll(schemas, request.Kinds); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(schemas) {
		if _, err := Compile(name, schemas[name]); err != nil {
			return nil, fault(BadSchema, "%s does not compile: %v", name, err)
		}
	}
	return schemas, nil
}

func fromFiles(files []file, request Request) (map[string]node, error) {
	switch request.Form {
	case "crd":
		return fromCRDs(files, request.Kinds)
	case "openapi":
		return fromOpenAPI(files, request.Kinds)
	default:
		return nil, wire.Refuse("form %q is neither crd nor openapi", request.Form)
	}
}

// haveAll reports a kind that was asked for and is not there, or that there is nothing at all.
func haveAll(schemas map[string]node, kinds []string) error {
	if len(schemas) == 0 {
		return fault(NoKind, "the files of this release define no kind")
	}
	var found []string
	for _, schema := range schemas {
		names, _ := asNode(asNode(schema["properties"])["kind"])["enum"].([]any)
		found = append(found, asStrings(names)...)
	}
	for _, kind := range kinds {
		if !slices.Contains(found, kind) {
			return fault(NoKind, "the files of this release define no %s", kind)
		}
	}
	return nil
}
