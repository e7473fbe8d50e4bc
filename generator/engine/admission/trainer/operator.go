// Package trainer asks Kubeflow Trainer's own code: its webhooks, and the runtimes from which it makes JobSets.
package trainer

import (
	"cmp"
	"slices"

	trainerapi "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission/judge"
)

// Name is the operator's and the judge's.
const Name = "trainer"

// Operator is Kubeflow Trainer, version 2.
var Operator = judge.Operator{Name: Name, Covers: covers, Mutate: mutate, Refusals: refusals, Children: children}

var kinds = []string{
	trainerapi.TrainJobKind, trainerapi.TrainingRuntimeKind, trainerapi.ClusterTrainingRuntimeKind,
}

func covers(kind schema.GroupVersionKind) bool {
	return kind.GroupVersion() == trainerapi.GroupVersion && slices.Contains(kinds, kind.Kind)
}

func isTrainJob(review judge.Review) bool {
	return judge.KindOf(review.Object).Kind == trainerapi.TrainJobKind
}

// mutate runs the webhook, but takes back the present time, which it writes into patches for people to look at:
// the same question is to have the same answer.
func mutate(review judge.Review) error {
	if !isTrainJob(review) {
		return nil
	}
	var written []any
	for _, object := range []judge.Object{review.Object, review.Before} {
		for _, patch := range patches(object) {
			written = append(written, patch["time"])
		}
	}
	err := with(review.Around, func(linked *linked) error { return linked.hooks.Mutate(review) })
	for _, patch := range patches(review.Object) {
		if !slices.Contains(written, patch["time"]) {
			delete(patch, "time")
		}
	}
	return err
}

func patches(object judge.Object) []map[string]any {
	found, _ := judge.At(object, "/spec/runtimePatches")
	list, _ := found.([]any)
	var patches []map[string]any
	for _, item := range list {
		if patch, isMap := item.(map[string]any); isMap {
			patches = append(patches, patch)
		}
	}
	return patches
}

// refusals are given in one order, for Trainer asks its plugins in a random one.
func refusals(review judge.Review) ([]judge.Refusal, error) {
	ask := runtimeRefusals
	if isTrainJob(review) {
		ask = trainJobRefusals
	}
	refusals, err := ask(review)
	slices.SortFunc(refusals, func(one, other judge.Refusal) int {
		return cmp.Or(cmp.Compare(one.Pointer, other.Pointer), cmp.Compare(one.Message, other.Message))
	})
	return slices.Compact(refusals), err
}

func children(review judge.Review) (children []judge.Child, err error) {
	if !isTrainJob(review) {
		return nil, nil
	}
	err = with(review.Around, func(linked *linked) error {
		made, err := linked.make(review.Object)
		if err != nil {
			return err
		}
		children = make([]judge.Child, len(made))
		for index, object := range made {
			children[index] = childOf(review.Object, object)
		}
		return nil
	})
	return children, err
}
