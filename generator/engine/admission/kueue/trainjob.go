package kueue

import (
	"context"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	controller "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	"sigs.k8s.io/kueue/pkg/controller/jobs/trainjob"

	"trainshed.dev/engine/admission/judge"
)

// runtimeOf is the kind and name of the training runtime that a TrainJob takes its pods from.
func runtimeOf(object judge.Object) (kind, namespace, name string) {
	text := func(pointer string) string {
		found, _ := judge.At(object, pointer)
		text, _ := found.(string)
		return text
	}
	kind, name = text("/spec/runtimeRef/kind"), text("/spec/runtimeRef/name")
	if kind == "TrainingRuntime" {
		return kind, text("/metadata/namespace"), name
	}
	return "ClusterTrainingRuntime", "", name
}

// lacksRuntime says whether the pods of a TrainJob are unknown, because nobody showed us its runtime.
func lacksRuntime(object judge.Object, around *judge.Surroundings) bool {
	return judge.KindOf(object).Kind == "TrainJob" && around.Find(runtimeOf(object)) == nil
}

// refusalsWithoutRuntime are those that do not depend on the pods.
func refusalsWithoutRuntime(review judge.Review, manager *manager) ([]judge.Refusal, error) {
	var found field.ErrorList
	if review.Before == nil {
		object, err := read(review.Object)
		if err != nil {
			return nil, err
		}
		found = jobframework.ValidateJobOnCreate(trainJobOf(object))
	} else {
		before, after, err := started(review, true)
		if err != nil {
			return nil, err
		}
		found = jobframework.ValidateJobOnUpdate(trainJobOf(before), trainJobOf(after), manager.queues.DefaultLocalQueueExist)
	}
	return judge.FieldRefusals(name, review.Object, found), nil
}

func trainJobOf(object runtime.Object) jobframework.GenericJob {
	return (*trainjob.TrainJob)(object.(*trainer.TrainJob))
}

// knowRuntimes makes Kubeflow Trainer's runtimes known to Kueue, unless they are.
func knowRuntimes(ctx context.Context, cluster *cluster) error {
	if len(core.Runtimes()) > 0 {
		return nil
	}
	_, err := core.New(ctx, cluster, noIndex{}, nil)
	return err
}

type noIndex struct{}

func (noIndex) IndexField(context.Context, controller.Object, string, controller.IndexerFunc) error {
	return nil
}
