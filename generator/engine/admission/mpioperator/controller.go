package mpioperator

import (
	"context"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/kubeflow/mpi-operator/cmd/mpi-operator/app/options"
	kubeflow "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	kubeflowfake "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/fake"
	kubeflowinformers "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"trainshed.dev/engine/admission/emptycluster"
)

// syncHandler is one turn of the controller's loop. Its only exported way in is Run, which waits for its caches, its
// queue and its rate limit, and never says that it is done.
//
//go:linkname syncHandler github.com/kubeflow/mpi-operator/pkg/controller.(*MPIJobController).syncHandler
func syncHandler(controller *controller.MPIJobController, key string) error

// operator is the controller, which is made once a process: it keeps a queue and an event recorder running.
type operator struct {
	sync.Mutex
	controller *controller.MPIJobController
	clientset  *fake.Clientset
	statuses   *kubeflowfake.Clientset
	jobs, pods cache.Indexer
	cluster    *emptycluster.Cluster
}

var start = sync.OnceValues(func() (*operator, error) {
	operator := &operator{clientset: &fake.Clientset{}, statuses: &kubeflowfake.Clientset{}}
	operator.clientset.AddReactor("create", "events", swallow)
	operator.clientset.AddReactor("create", "*", operator.create)
	operator.statuses.AddReactor("update", "mpijobs", swallow)
	core := informers.NewSharedInformerFactory(operator.clientset, 0)
	jobs := kubeflowinformers.NewSharedInformerFactory(operator.statuses, 0).Kubeflow().V2beta1().MPIJobs()
	operator.jobs, operator.pods = jobs.Informer().GetIndexer(), core.Core().V1().Pods().Informer().GetIndexer()
	var err error
	operator.controller, err = controller.NewMPIJobController(
		context.Background(), operator.clientset, operator.statuses, nil, nil,
		core.Core().V1().ConfigMaps(), core.Core().V1().Secrets(), core.Core().V1().Services(),
		core.Batch().V1().Jobs(), core.Core().V1().Pods(), core.Scheduling().V1().PriorityClasses(),
		jobs, &options.ServerOption{},
	)
	return operator, err
})

// swallow lets events and statuses be written, and forgets them.
func swallow(action testing.Action) (bool, runtime.Object, error) {
	return true, action.(testing.CreateAction).GetObject(), nil
}

func (operator *operator) create(action testing.Action) (bool, runtime.Object, error) {
	object := action.(testing.CreateAction).GetObject()
	return true, object, operator.cluster.Create(context.Background(), object.(client.Object))
}

// sync lets the controller look at a job for the first time, with some of its pods there already.
func (operator *operator) sync(cluster *emptycluster.Cluster, job *kubeflow.MPIJob, pods []any) error {
	operator.Lock()
	defer operator.Unlock()
	defer operator.clientset.ClearActions()
	defer operator.statuses.ClearActions()
	operator.cluster = cluster
	if err := operator.pods.Replace(pods, ""); err != nil {
		return err
	}
	if err := operator.jobs.Replace([]any{job}, ""); err != nil {
		return err
	}
	return syncHandler(operator.controller, job.Namespace+"/"+job.Name)
}
