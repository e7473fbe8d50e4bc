package argocd

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// knownField is a field of a custom resource whose type is one of Kubernetes' own: both sides of a comparison are
// written as that type writes itself, so that "1000m" equals "1". The path goes through lists.
type knownField struct {
	path []string
	made func() any
}

// knownTypes are those of Argo CD's types that our settings name (argo-cd `util/argo/normalizers`).
var knownTypes = map[string]func() any{
	"core/Quantity":           func() any { return &resource.Quantity{} },
	"core/v1/PodSpec":         func() any { return &corev1.PodSpec{} },
	"core/v1/PodTemplateSpec": func() any { return &corev1.PodTemplateSpec{} },
	"core/v1/ResourceList":    func() any { return &corev1.ResourceList{} },
}

// rewritten gives a value with the field below a path written as its type writes itself.
func (field knownField) rewritten(value any, path []string) (any, error) {
	switch found := value.(type) {
	case []any:
		for index, item := range found {
			item, err := field.rewritten(item, path)
			if err != nil {
				return nil, err
			}
			found[index] = item
		}
		return found, nil
	case map[string]any:
		if len(path) == 0 {
			break
		}
		below, exists := found[path[0]]
		if !exists {
			return found, nil
		}
		below, err := field.rewritten(below, path[1:])
		found[path[0]] = below
		return found, err
	}
	if len(path) > 0 || value == nil {
		return value, nil
	}
	return remarshal(value, field.made())
}

func remarshal(value, typed any) (again any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, typed); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(typed); err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &again)
	return again, err
}
