package customresource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/schema"
)

// Definition is the CRD of one version of a kind, as it was before its schema file was derived from it.
func (registry *Registry) Definition(kind gvk.GroupVersionKind) (*apiextensionsv1.CustomResourceDefinition, error) {
	for _, folder := range registry.folders {
		path := filepath.Join(folder, filepath.FromSlash(schema.Address(kind.Group, kind.Kind, kind.Version)))
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return definition(kind, text)
	}
	return nil, fmt.Errorf("there is no schema for %s %s", kind.GroupVersion(), kind.Kind)
}

func definition(kind gvk.GroupVersionKind, text []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	var kept map[string]any
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	restored, err := schema.Restore(kept)
	if err != nil {
		return nil, err
	}
	properties := &apiextensionsv1.JSONSchemaProps{}
	if err := reread(restored.Schema, properties); err != nil {
		return nil, err
	}
	version := apiextensionsv1.CustomResourceDefinitionVersion{
		Name: kind.Version, Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: properties},
	}
	if _, has := restored.Subresources["status"]; has {
		version.Subresources = &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
		}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: restored.Plural + "." + kind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group,
			Scope: apiextensionsv1.ResourceScope(restored.Scope),
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: restored.Plural, Singular: restored.Singular, Kind: kind.Kind, ListKind: kind.Kind + "List",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version},
		},
	}, nil
}
