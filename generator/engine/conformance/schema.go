// Package conformance judges Kubernetes objects by JSON Schema, with kubeconform as the judge and local files only.
package conformance

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// template is where a schema stands below a root, as kubeconform spells it. The group of a core kind is its version.
const template = `/{{ if eq .Group .ResourceAPIVersion }}core{{ else }}{{ .Group }}{{ end }}/` +
	`{{ .ResourceKind }}_{{ .ResourceAPIVersion }}.json`

// schemaPath is the file that template leads to.
func schemaPath(root, apiVersion, kind string) string {
	group, version, hasGroup := strings.Cut(apiVersion, "/")
	if !hasGroup {
		group, version = "core", group
	}
	return filepath.Join(root, group, strings.ToLower(kind)+"_"+version+".json")
}

// compileFile reads a schema that stands alone: a reference to another file or to the network does not compile.
// Its errors are one line long.
func compileFile(path string) (*jsonschema.Schema, error) {
	schema, err := compileText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return schema, err
}

func compileText(path string) (*jsonschema.Schema, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	schema, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	compiler.UseLoader(alone{})
	compiler.RegisterFormat(&jsonschema.Format{Name: "duration", Validate: checkDuration})
	if err := compiler.AddResource(fileURL(path), schema); err != nil {
		return nil, err
	}
	return compiler.Compile(fileURL(path))
}

// fileURL spells a path so that no character of it is special to URLs or to templates.
func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: path}).String()
}

type alone struct{}

func (alone) Load(address string) (any, error) {
	return nil, fmt.Errorf("a schema stands alone and cannot refer to %s", address)
}

// checkDuration takes Go durations, which Kubernetes writes where JSON Schema means ISO 8601.
func checkDuration(value any) error {
	text, isText := value.(string)
	if !isText {
		return nil
	}
	_, err := time.ParseDuration(text)
	return err
}
