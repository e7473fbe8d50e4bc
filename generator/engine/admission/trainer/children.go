package trainer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	trainerapi "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	trainerruntime "github.com/kubeflow/trainer/v2/pkg/runtime"
	"github.com/kubeflow/trainer/v2/pkg/util/trainjob"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"trainshed.dev/engine/admission/judge"
)

// someUID stands for the one that the API server gives: what is made refers to its owner by it.
const someUID = "00000000-0000-4000-8000-000000000000"

// mostPods is what an Indexed Job can have. For more, files that name every pod would fill the memory.
const mostPods = 100_000

var errTooLarge = errors.New("what is made from this TrainJob is not judged")

// production is what Trainer makes from one TrainJob in one cluster. Both who refuses and who follows ask for it.
type production struct {
	around  *judge.Surroundings
	text    string
	objects []judge.Object
	err     error
}

// make gives what Trainer makes from a TrainJob, by kind and name.
func (linked *linked) make(object judge.Object) ([]judge.Object, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	if last := linked.last; last.around != linked.cluster.around || last.text != string(text) {
		made, err := linked.produce(text)
		linked.last = production{linked.cluster.around, string(text), made, err}
	}
	objects := make([]judge.Object, len(linked.last.objects))
	for index, made := range linked.last.objects {
		objects[index] = apiruntime.DeepCopyJSON(made)
	}
	return objects, linked.last.err
}

func (linked *linked) produce(text []byte) ([]judge.Object, error) {
	trainJob := &trainerapi.TrainJob{}
	if err := json.Unmarshal(text, trainJob); err != nil {
		return nil, err
	}
	trainJob.UID = someUID
	runtime, known := linked.runtimes[trainerruntime.RuntimeRefToRuntimeRegistryKey(trainJob.Spec.RuntimeRef)]
	if !known || trainjob.IsManagedByExternalController(trainJob) {
		return nil, nil
	}
	if pods := linked.pods(trainJob); pods > mostPods {
		return nil, fmt.Errorf("%w: it has %d pods, and at most %d can be looked at", errTooLarge, pods, mostPods)
	}
	linked.cluster.applied = nil
	made, err := runtime.NewObjects(context.Background(), trainJob)
	if err != nil {
		return nil, err
	}
	return plain(append(made, linked.cluster.applied...))
}

func plain(made []apiruntime.ApplyConfiguration) ([]judge.Object, error) {
	objects := make([]judge.Object, len(made))
	for index, configuration := range made {
		text, err := json.Marshal(configuration)
		if err != nil {
			return nil, err
		}
		if err := utiljson.Unmarshal(text, &objects[index]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(objects, func(one, other judge.Object) int { return cmp.Compare(title(one), title(other)) })
	return objects, nil
}

func title(object judge.Object) string {
	name, _ := judge.At(object, "/metadata/name")
	return fmt.Sprint(object["kind"], " ", name)
}

// pods bounds how many pods the largest part of the TrainJob has.
func (linked *linked) pods(trainJob *trainerapi.TrainJob) int64 {
	spec := linked.runtime(trainJob)
	nodes := int64(1)
	if spec.MLPolicy != nil {
		nodes = int64(ptr.Deref(spec.MLPolicy.NumNodes, 1))
	}
	if trainJob.Spec.Trainer != nil {
		nodes = max(nodes, int64(ptr.Deref(trainJob.Spec.Trainer.NumNodes, 1)))
	}
	most := nodes
	for _, replicated := range spec.Template.Spec.ReplicatedJobs {
		parallelism := int64(ptr.Deref(replicated.Template.Spec.Parallelism, 1))
		most = max(most, int64(replicated.Replicas)*max(nodes, parallelism))
	}
	return most
}

// runtime is that of a TrainJob; an empty one if it is not there.
func (linked *linked) runtime(trainJob *trainerapi.TrainJob) trainerapi.TrainingRuntimeSpec {
	key := client.ObjectKey{Name: trainJob.Spec.RuntimeRef.Name}
	if trainjob.RuntimeRefIsClusterTrainingRuntime(trainJob.Spec.RuntimeRef) {
		var found trainerapi.ClusterTrainingRuntime
		_ = linked.cluster.Get(context.Background(), key, &found)
		return found.Spec
	}
	key.Namespace = trainJob.Namespace
	var found trainerapi.TrainingRuntime
	_ = linked.cluster.Get(context.Background(), key, &found)
	return found.Spec
}
