package life

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	openapiv2 "github.com/google/gnostic-models/openapiv2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/util/proto"

	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/customresource"
)

// served is what the API server knows about a kind that it serves.
type served struct {
	kind       schema.GroupVersionKind
	plural     string
	namespaced bool
	fields     managedfields.TypeConverter
	// parser is what Argo CD learns of the kind from the API server's OpenAPI document.
	parser *managedfields.GvkParser
}

// kinds are those that the API server was asked about. It serves its own, and those that a schema file says a CRD of
// an operator's release brings.
type kinds struct {
	gate  *gate
	lock  sync.Mutex
	known map[schema.GroupVersionKind]*served
}

// learned are the kinds of all worlds that were played, by the folders of their schemas.
var learned = struct {
	sync.Mutex
	kinds map[lesson]*served
}{kinds: map[lesson]*served{}}

type lesson struct {
	folders string
	kind    schema.GroupVersionKind
}

var builtinFields = applyconfigurations.NewTypeConverter(scheme.Scheme)

func (kinds *kinds) find(kind schema.GroupVersionKind) (*served, error) {
	kinds.lock.Lock()
	defer kinds.lock.Unlock()
	if found := kinds.known[kind]; found != nil {
		return found, nil
	}
	learned.Lock()
	defer learned.Unlock()
	lesson := lesson{strings.Join(kinds.gate.setting.Schemas, "\n"), kind}
	if learned.kinds[lesson] == nil {
		found, err := kinds.learn(kind)
		if err != nil {
			return nil, err
		}
		learned.kinds[lesson] = found
	}
	kinds.known[kind] = learned.kinds[lesson]
	return kinds.known[kind], nil
}

func (kinds *kinds) learn(kind schema.GroupVersionKind) (*served, error) {
	found := &served{kind: kind, plural: strings.ToLower(kind.Kind) + "s", fields: builtinFields}
	definitions := builtinDefinitions()
	namespaced, isBuiltin := builtin.Scope(kind)
	found.namespaced = namespaced
	if !isBuiltin {
		definition, err := customresource.Load(kinds.gate.setting.Schemas).Definition(kind)
		if err != nil {
			return nil, err
		}
		found.plural = definition.Spec.Names.Plural
		found.namespaced = definition.Spec.Scope == apiextensionsv1.NamespaceScoped
		if found.fields, err = fieldsOf(definition); err != nil {
			return nil, err
		}
		if err := define(definitions, definition); err != nil {
			return nil, err
		}
	}
	var err error
	found.parser, err = parserOf(definitions)
	return found, err
}

// fieldsOf says of a custom resource which lists are maps and which are one value: who applies what is kept by that.
// It is what the API server does (apiextensions-apiserver, pkg/apiserver/customresource_handler.go).
func fieldsOf(definition *apiextensionsv1.CustomResourceDefinition) (managedfields.TypeConverter, error) {
	document, err := builder.BuildOpenAPIV3(definition, definition.Spec.Versions[0].Name, builder.Options{})
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(document.Components.Schemas, false)
}

// define adds a custom resource to the definitions of the API server's OpenAPI document.
func define(definitions map[string]any, definition *apiextensionsv1.CustomResourceDefinition) error {
	document, err := builder.BuildOpenAPIV2(definition, definition.Spec.Versions[0].Name, builder.Options{V2: true})
	if err != nil {
		return err
	}
	for name, schema := range document.Definitions {
		definitions[name] = schema
	}
	return nil
}

// builtinDefinitions name the API server's own kinds. What is in them, Argo CD's library holds itself.
func builtinDefinitions() map[string]any {
	definitions := map[string]any{}
	for kind, typed := range scheme.Scheme.AllKnownTypes() {
		if !strings.HasPrefix(typed.PkgPath(), "k8s.io/api/") {
			continue
		}
		definitions[definitionName(typed)] = map[string]any{
			"type": "object",
			"x-kubernetes-group-version-kind": []any{
				map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
			},
		}
	}
	return definitions
}

// definitionName is a Go type's as OpenAPI documents call it: io.k8s.api.batch.v1.Job.
func definitionName(typed reflect.Type) string {
	return "io." + strings.Replace(strings.ReplaceAll(typed.PkgPath(), "/", "."), "k8s.io.", "k8s.", 1) + "." + typed.Name()
}

func parserOf(definitions map[string]any) (*managedfields.GvkParser, error) {
	text, err := json.Marshal(map[string]any{
		"swagger": "2.0", "info": map[string]any{"title": "Kubernetes", "version": "v1"},
		"paths": map[string]any{}, "definitions": definitions,
	})
	if err != nil {
		return nil, err
	}
	document, err := openapiv2.ParseDocument(text)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be read: %w", err)
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, err
	}
	return managedfields.NewGVKParser(models, false)
}

// of are the kinds of a version that were asked for.
func (kinds *kinds) of(version schema.GroupVersion) []*served {
	kinds.lock.Lock()
	defer kinds.lock.Unlock()
	var found []*served
	for kind, known := range kinds.known {
		if kind.GroupVersion() == version {
			found = append(found, known)
		}
	}
	return found
}

// IsNamespaced tells Argo CD's library where objects of a kind live.
func (kinds *kinds) IsNamespaced(kind schema.GroupKind) (bool, error) {
	kinds.lock.Lock()
	defer kinds.lock.Unlock()
	for known, served := range kinds.known {
		if known.GroupKind() == kind {
			return served.namespaced, nil
		}
	}
	return false, fmt.Errorf("the server does not serve %s", kind)
}
