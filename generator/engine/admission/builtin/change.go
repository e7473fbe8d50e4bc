package builtin

import (
	"reflect"
	"strconv"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	"trainshed.dev/engine/admission/judge"
)

func validateChange(review judge.Review) []judge.Refusal {
	strategy := strategies[judge.KindOf(review.Object).GroupKind()]
	object, ctx, err := prepare(review.Object)
	if err != nil {
		return refusalsOf(review.Object, err)
	}
	before, _, err := prepare(review.Before)
	if err != nil {
		return refusalsOf(review.Object, err)
	}
	for _, stored := range []runtime.Object{before, object} {
		strategy.PrepareForCreate(ctx, stored)
		stand(stored)
	}
	allocate(before, nil)
	allocate(object, before)
	refusals := refusalsOf(review.Object, rest.BeforeUpdate(strategy, ctx, object, before))
	for index := range refusals {
		refusals[index].Judge = "change"
		refusals[index].Pointer = narrow(review.Object, review.Before, refusals[index].Pointer)
	}
	return refusals
}

// stand gives an object what controllers have written by the time that it is changed: a job has started, a claim is
// bound to a volume of just its size, a definition is established.
func stand(object runtime.Object) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetResourceVersion("1")
	}
	switch object := object.(type) {
	case *batch.Job:
		started := metav1.Unix(0, 0)
		object.Status.StartTime = &started
	case *core.PersistentVolumeClaim:
		if object.Spec.VolumeName == "" {
			object.Spec.VolumeName = "pvc-" + uid
		}
		size := object.Spec.Resources.Requests[core.ResourceStorage]
		object.Status.Phase = core.ClaimBound
		object.Status.Capacity = core.ResourceList{core.ResourceStorage: size}
	case *apiextensions.CustomResourceDefinition:
		established := apiextensions.CustomResourceDefinitionCondition{
			Type: apiextensions.Established, Status: apiextensions.ConditionTrue,
		}
		object.Status.Conditions = append(object.Status.Conditions, established)
	}
}

// narrow follows a pointer to what is changed down to the one place below it that differs, if it is one.
func narrow(object, before judge.Object, pointer string) string {
	now, exists := judge.At(object, pointer)
	then, existed := judge.At(before, pointer)
	for exists && existed {
		step, only := onlyDifference(now, then)
		if !only {
			break
		}
		pointer += "/" + judge.Escape(step)
		now, exists = judge.At(object, pointer)
		then, existed = judge.At(before, pointer)
	}
	return pointer
}

func onlyDifference(now, then any) (step string, only bool) {
	var differing []string
	switch now := now.(type) {
	case map[string]any:
		then, _ := then.(map[string]any)
		for key := range now {
			if !reflect.DeepEqual(now[key], then[key]) {
				differing = append(differing, key)
			}
		}
		for key := range then {
			if _, kept := now[key]; !kept {
				return "", false // what is gone has no place of its own
			}
		}
	case []any:
		then, _ := then.([]any)
		if len(now) != len(then) {
			return "", false
		}
		for index := range now {
			if !reflect.DeepEqual(now[index], then[index]) {
				differing = append(differing, strconv.Itoa(index))
			}
		}
	}
	if len(differing) != 1 {
		return "", false
	}
	return differing[0], true
}
