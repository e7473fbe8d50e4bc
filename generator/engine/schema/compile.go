package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile compiles a schema as kubeconform does: draft 4, and nothing loaded from elsewhere.
func Compile(name string, schema map[string]any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	compiler.UseLoader(noLoader{})
	location := "derived:///" + name
	if err := compiler.AddResource(location, schema); err != nil {
		return nil, err
	}
	return compiler.Compile(location)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s lies outside the schema", url)
}
