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

// children are the launcher's Job, the pod of the last worker, whose name is the longest, or of every one, and what both
// share.
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
	if review.Every {
		return everyChild(operator, review, job)
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
	return adopt(cluster, review, workers)
}

// everyChild has the controller look twice: what it makes once its workers run names them all.
func everyChild(operator *operator, review judge.Review, job *kubeflow.MPIJob) ([]judge.Child, error) {
	workers := 0
	if spec := job.Spec.MPIReplicaSpecs[kubeflow.MPIReplicaTypeWorker]; spec != nil {
		workers = int(*spec.Replicas)
	}
	if err := judge.FewEnough(workers + 1); err != nil {
		return nil, err
	}
	starting, running := emptycluster.Holding(types), emptycluster.Holding(types)
	if err := operator.sync(starting, job, nil); err != nil {
		return nil, err
	}
	starting.RunPods()
	var pods []any
	for _, object := range starting.Made {
		if pod, isPod := object.(*corev1.Pod); isPod {
			pods = append(pods, pod)
		}
	}
	if err := operator.sync(running, job, pods); err != nil {
		return nil, err
	}
	for _, pod := range pods {
		running.Made = append(running.Made, pod.(*corev1.Pod))
	}
	return adopt(running, review, workers)
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

func adopt(cluster *emptycluster.Cluster, review judge.Review, workers int) (made []judge.Child, err error) {
	pods := 0
	for _, object := range cluster.Made {
		role, count, index := "", 1, 0
		switch object.(type) {
		case *batchv1.Job:
			role = string(kubeflow.MPIReplicaTypeLauncher)
		case *corev1.Pod:
			role, count, index = string(kubeflow.MPIReplicaTypeWorker), review.Standing(workers), pods
			pods++
		case *corev1.Secret: // holds a key that is never the same
			if !review.Every {
				continue
			}
		}
		origin := emptycluster.Origin{Parent: review.Object}
		if role != "" {
			origin.Template = "/spec/mpiReplicaSpecs/" + role + "/template"
		}
		child, err := cluster.Child(object, role, count, origin)
		if err != nil {
			return nil, err
		}
		child.Index = index
		made = append(made, child)
	}
	return made, nil
}
