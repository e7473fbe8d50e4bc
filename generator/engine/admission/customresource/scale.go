package customresource

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"trainshed.dev/engine/admission/judge"
)

// scale is where the scale subresource finds the number of replicas.
type scale struct {
	SpecReplicasPath string `json:"specReplicasPath"`
}

// faults are those of replicas that the scale subresource could not give.
func (scale *scale) faults(object judge.Object) field.ErrorList {
	if scale == nil {
		return nil
	}
	path := strings.TrimPrefix(scale.SpecReplicasPath, ".")
	replicas, _, err := unstructured.NestedInt64(object, strings.Split(path, ".")...)
	problem := ""
	switch {
	case err != nil:
		problem = err.Error()
	case replicas < 0:
		problem = "should be a non-negative integer"
	case replicas > math.MaxInt32:
		problem = fmt.Sprintf("should be less than or equal to %v", math.MaxInt32)
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath(path), replicas, problem)}
}
