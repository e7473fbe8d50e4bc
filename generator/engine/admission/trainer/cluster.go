package trainer

import (
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"trainshed.dev/engine/admission/judge"
)

// cluster reads from the surroundings of a review, and keeps what is applied to it.
// Whatever else Trainer would do to it panics.
type cluster struct {
	client.Client
	around  *judge.Surroundings
	applied []runtime.ApplyConfiguration
}

func (cluster *cluster) Scheme() *runtime.Scheme { return scheme }

func (cluster *cluster) RESTMapper() meta.RESTMapper { return nil }

func (cluster *cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind, err := apiutil.GVKForObject(into, scheme)
	if err != nil {
		return err
	}
	found := cluster.around.Find(kind.Kind, key.Namespace, key.Name)
	if found == nil || judge.KindOf(found).Group != kind.Group {
		resource, _ := meta.UnsafeGuessKindToResource(kind)
		return apierrors.NewNotFound(resource.GroupResource(), key.Name)
	}
	return read(withDefaults(found), into)
}

func (cluster *cluster) Apply(_ context.Context, made runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
	cluster.applied = append(cluster.applied, made)
	return nil
}

// unindexed takes the indexes that Trainer wants on its cache, and asks nothing of them.
type unindexed struct{}

func (unindexed) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

// read fills a typed object from plain data.
func read(object judge.Object, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// runtimeDefaults are those of the runtimes' CRDs on which Trainer's code counts.
var runtimeDefaults = []struct {
	holder, key string
	value       any
}{
	{"/spec/mlPolicy/mpi", "numProcPerNode", int64(1)},
	{"/spec/mlPolicy/mpi", "mpiImplementation", "OpenMPI"},
	{"/spec/mlPolicy/mpi", "sshAuthMountPath", "/root/.ssh"},
	{"/spec/mlPolicy/mpi", "runLauncherAsNode", false},
	{"/spec/mlPolicy/flux", "numProcPerNode", int64(1)},
	{"/spec/podGroupPolicy/coscheduling", "scheduleTimeoutSeconds", int64(60)},
}

// withDefaults is a runtime as the API server gives it, though it was put there as it was written.
func withDefaults(object judge.Object) judge.Object {
	defaulted := runtime.DeepCopyJSON(object)
	for _, standard := range runtimeDefaults {
		found, _ := judge.At(defaulted, standard.holder)
		if holder, isMap := found.(map[string]any); isMap && holder[standard.key] == nil {
			holder[standard.key] = standard.value
		}
	}
	return defaulted
}
