package customresource

import (
	"encoding/json"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"trainshed.dev/engine/schema"
)

// Kind is one version of a custom resource, ready to judge.
type Kind struct {
	name       gvk.GroupVersionKind
	namespaced bool
	hasStatus  bool
	scale      *scale
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

func compileFile(path string) (*Kind, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var kept map[string]any
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	definition, err := schema.Restore(kept)
	if err != nil {
		return nil, err
	}
	openAPI, err := readProperties(definition.Schema)
	if err != nil {
		return nil, err
	}
	kind := &Kind{
		name:       gvk.FromAPIVersionAndKind(definition.APIVersion, definition.Kind),
		namespaced: definition.Scope == string(apiextensionsv1.NamespaceScoped),
	}
	_, kind.hasStatus = definition.Subresources["status"]
	if err := reread(definition.Subresources["scale"], &kind.scale); err != nil {
		return nil, err
	}
	return kind, kind.compile(openAPI)
}

// compile does what the API server does when it begins to serve a CRD.
func (kind *Kind) compile(openAPI *properties) (err error) {
	if kind.structural, err = structuralschema.NewStructural(openAPI); err != nil {
		return err
	}
	if err := defaulting.PruneDefaults(kind.structural); err != nil {
		return err
	}
	kind.rules = cel.NewValidator(kind.structural, true, celconfig.PerCallLimit)
	kind.validator, _, err = validation.NewSchemaValidator(openAPI)
	return err
}
