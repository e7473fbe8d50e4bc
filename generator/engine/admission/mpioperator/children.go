package mpioperator

import (
	"fmt"

	kubeflow "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

var types = func() *runtime.Scheme {
	types := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(types))
	utilruntime.Must(kubeflow.AddToScheme(types))
	return types
}()

// mostWorkers is how many are followed one by one; of more, the last are like the others.
const mostWorkers = 4096

// children are the launcher's Job, the pod of the last worker, whose name is the longest, and what both share.
func children(review judge.Review) ([]judge.Child, error) {
	job, err := read(review)
	if err != nil {
		return nil, err
	}
	job.Spec.RunPolicy.Suspend = nil
	job.Spec.LauncherCreationPolicy = kubeflow.LauncherCreationPolicyAtStartup
	operator, err := start()
	if err != nil {
		return nil, err
	}
	cluster := emptycluster.Holding(types)
	workers, followed := 0, 0
	if spec := job.Spec.MPIReplicaSpecs[kubeflow.MPIReplicaTypeWorker]; spec != nil {
		workers = int(*spec.Replicas)
		followed = min(workers, mostWorkers)
		*spec.Replicas = int32(followed)
	}
	if err := operator.sync(cluster, job, allButLast(job, followed)); err != nil {
		return nil, err
	}
	return adopt(cluster, review.Object, workers)
}

// allButLast are the pods of all workers but one, as far as the controller looks at them.
func allButLast(job *kubeflow.MPIJob, workers int) (pods []any) {
	owner := *metav1.NewControllerRef(job, kubeflow.SchemeGroupVersionKind)
	for index := range workers - 1 {
		pods = append(pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Name:            fmt.Sprintf("%s-worker-%d", job.Name, index),
			Namespace:       job.Namespace,
			OwnerReferences: []metav1.OwnerReference{owner},
		}})
	}
	return pods
}

func adopt(cluster *emptycluster.Cluster, job judge.Object, workers int) (made []judge.Child, err error) {
	for _, object := range cluster.Made {
		role, count := "", 1
		switch object.(type) {
		case *batchv1.Job:
			role = string(kubeflow.MPIReplicaTypeLauncher)
		case *corev1.Pod:
			role, count = string(kubeflow.MPIReplicaTypeWorker), workers
		case *corev1.Secret: // holds a key that is never the same
			continue
		}
		origin := emptycluster.Origin{Parent: job}
		if role != "" {
			origin.Template = "/spec/mpiReplicaSpecs/" + role + "/template"
		}
		child, err := cluster.Child(object, role, count, origin)
		if err != nil {
			return nil, err
		}
		made = append(made, child)
	}
	return made, nil
}
