package argocd

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Ignored are fields that Argo CD leaves out of a comparison: those of a kind in argocd-cm, or of an Application's
// spec.ignoreDifferences. Who wrote a field only a live object tells, so that managedFieldsManagers does nothing here.
type Ignored struct {
	Group, Kind       string
	Name, Namespace   string
	JSONPointers      []string
	JQPathExpressions []string
}

// readIgnored reads what a key ignoreDifferences of argocd-cm holds.
func readIgnored(kind schema.GroupKind, text string) (Ignored, error) {
	var written struct{ JSONPointers, JQPathExpressions, ManagedFieldsManagers []string }
	if err := yaml.UnmarshalStrict([]byte(text), &written); err != nil {
		return Ignored{}, err
	}
	for _, expression := range written.JQPathExpressions {
		if _, err := deletion(expression); err != nil {
			return Ignored{}, err
		}
	}
	return Ignored{
		Group: kind.Group, Kind: kind.Kind,
		JSONPointers: written.JSONPointers, JQPathExpressions: written.JQPathExpressions,
	}, nil
}

func (ignored Ignored) covers(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	return ignored.Group == kind.Group && ignored.Kind == kind.Kind &&
		(ignored.Name == "" || ignored.Name == object.GetName()) &&
		(ignored.Namespace == "" || ignored.Namespace == object.GetNamespace())
}

// jqTime is how long Argo CD lets an expression run.
const jqTime = time.Second

// strip takes the ignored fields out of an object; what cannot be taken out stays, as with Argo CD.
func (ignored Ignored) strip(object map[string]any) map[string]any {
	for _, pointer := range ignored.JSONPointers {
		object = without(object, pointer)
	}
	for _, expression := range ignored.JQPathExpressions {
		program, err := deletion(expression)
		if err != nil {
			continue
		}
		limited, cancel := context.WithTimeout(context.Background(), jqTime)
		first, _ := program.RunWithContext(limited, object).Next()
		cancel()
		if stripped, isMap := first.(map[string]any); isMap {
			object = stripped
		}
	}
	return object
}

func without(object map[string]any, pointer string) map[string]any {
	operations, err := json.Marshal([]map[string]string{{"op": "remove", "path": pointer}})
	if err != nil {
		return object
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return object
	}
	text, err := json.Marshal(object)
	if err != nil {
		return object
	}
	var stripped map[string]any
	if text, err = patch.Apply(text); err != nil || json.Unmarshal(text, &stripped) != nil {
		return object
	}
	return stripped
}

// deletions are compiled programs by their expressions: the same few are asked of every object.
var deletions sync.Map

// deletion is the program that deletes what an expression of jq leads to.
func deletion(expression string) (*gojq.Code, error) {
	if program, known := deletions.Load(expression); known {
		return program.(*gojq.Code), nil
	}
	query, err := gojq.Parse(fmt.Sprintf("del(%s)", expression))
	if err != nil {
		return nil, err
	}
	program, err := gojq.Compile(query)
	if err == nil {
		deletions.Store(expression, program)
	}
	return program, err
}
