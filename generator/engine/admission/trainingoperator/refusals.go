// Package trainingoperator asks the Kubeflow Training Operator, version 1, about its jobs.
package trainingoperator

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

const name = "training-operator"

// Operator is the Training Operator.
var Operator = judge.Operator{Name: name, Covers: covers, Refusals: refusals, Children: children}

func covers(asked schema.GroupVersionKind) bool {
	_, known := kinds[asked.Kind]
	return known && asked.GroupVersion() == kubeflow.GroupVersion
}

func refusals(review judge.Review) ([]judge.Refusal, error) {
	kind := kinds[judge.KindOf(review.Object).Kind]
	if kind.webhook == nil {
		return mpiRefusals(review)
	}
	err := kind.ask(review)
	var refused utilerrors.Aggregate
	if !errors.As(err, &refused) {
		return nil, err
	}
	var fields field.ErrorList
	for _, err := range refused.Errors() {
		fields = append(fields, inOrder(err.(*field.Error)))
	}
	found := judge.FieldRefusals(name, review.Object, fields)
	slices.SortStableFunc(found, func(one, other judge.Refusal) int {
		return strings.Compare(one.Pointer+one.Message, other.Pointer+other.Message)
	})
	return found, nil
}

// ask gives the webhook's error.
func (kind kind) ask(review judge.Review) error {
	job, before := kind.empty(), kind.empty()
	if err := emptycluster.Decode(review.Object, job); err != nil {
		return err
	}
	if review.Before == nil {
		_, err := kind.webhook.ValidateCreate(context.Background(), job)
		return err
	}
	if err := emptycluster.Decode(review.Before, before); err != nil {
		return err
	}
	_, err := kind.webhook.ValidateUpdate(context.Background(), before, job)
	return err
}

// inOrder sorts the supported values in a refusal: the webhooks list them as their sets and maps happen to lie.
func inOrder(refused *field.Error) *field.Error {
	label, values, found := strings.Cut(refused.Detail, ": ")
	if refused.Type == field.ErrorTypeNotSupported && found {
		sorted := strings.Split(values, ", ")
		slices.Sort(sorted)
		refused.Detail = label + ": " + strings.Join(sorted, ", ")
	}
	return refused
}

// mpiRefusals are what the controller of an MPIJob says before it makes anything: its first complaint about each
// replica type, for it reads them in no order.
func mpiRefusals(review judge.Review) ([]judge.Refusal, error) {
	specs, _ := judge.At(review.Object, "/spec/mpiReplicaSpecs")
	types, _ := specs.(map[string]any)
	if complaint(review.Object) == "" {
		return nil, nil
	}
	noLauncher := complaint(withTypes(map[string]any{}))
	var found []judge.Refusal
	for _, one := range slices.Sorted(maps.Keys(types)) {
		alone := withTypes(map[string]any{one: types[one]})
		words := complaint(alone)
		if words == "" || words == noLauncher {
			continue
		}
		found = append(found, judge.Refusal{Judge: name, Pointer: judge.Culprit(alone, complaint), Message: words})
	}
	if _, launches := types[string(kubeflow.MPIJobReplicaTypeLauncher)]; !launches {
		pointer := judge.Existing(review.Object, "/spec/mpiReplicaSpecs")
		found = append(found, judge.Refusal{Judge: name, Pointer: pointer, Message: noLauncher})
	}
	return found, nil
}

func withTypes(types map[string]any) judge.Object {
	return judge.Object{"spec": map[string]any{"mpiReplicaSpecs": types}}
}

// complaint is the controller's about an MPIJob, empty if there is none.
func complaint(object judge.Object) string {
	job := &kubeflow.MPIJob{}
	if err := emptycluster.Decode(object, job); err != nil {
		return err.Error()
	}
	if err := kubeflow.ValidateV1MpiJobSpec(&job.Spec); err != nil {
		return err.Error()
	}
	return ""
}
