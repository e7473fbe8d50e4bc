package trainingoperator

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

var scheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientscheme.AddToScheme(scheme))
	utilruntime.Must(kubeflow.AddToScheme(scheme))
	return scheme
}()

// children are a pod and a service of each replica type: those of the last replica, whose names are the longest.
func children(review judge.Review) (made []judge.Child, err error) {
	kind := kinds[judge.KindOf(review.Object).Kind]
	job := kind.empty()
	if err := emptycluster.Decode(review.Object, job); err != nil {
		return nil, err
	}
	scheme.Default(job)
	scaleOut(job)
	specs, policy := kind.read(job)
	counts := counted(specs)
	if policy.ManagedBy != nil && *policy.ManagedBy != kubeflow.KubeflowJobsController {
		return nil, nil
	}
	cluster := emptycluster.Holding(scheme)
	work := func() error { return kind.reconcile(cluster, job, specs) }
	if err := withConfig(review.Around, work); err != nil {
		return nil, err
	}
	return kind.adopt(cluster, review.Object, counts)
}

// mostReplicas is how many of a type are followed one by one; of more, the last are like the others.
const mostReplicas = 4096

// counted says how many pods there are of each type. The controller makes one of none.
func counted(specs replicas) map[kubeflow.ReplicaType]int {
	counts := map[kubeflow.ReplicaType]int{}
	for replicaType, spec := range specs {
		counts[replicaType] = max(int(ptr.Deref(spec.Replicas, 1)), 1)
		spec.Replicas = ptr.To(int32(min(counts[replicaType], mostReplicas)))
	}
	return counts
}

// scaleOut gives an elastic job all the workers that it may grow to.
func scaleOut(job client.Object) {
	elastic, isPyTorch := job.(*kubeflow.PyTorchJob)
	if !isPyTorch || elastic.Spec.ElasticPolicy == nil || elastic.Spec.ElasticPolicy.MaxReplicas == nil {
		return
	}
	workers := elastic.Spec.PyTorchReplicaSpecs[kubeflow.PyTorchJobReplicaTypeWorker]
	if workers != nil && workers.Replicas != nil && *workers.Replicas < *elastic.Spec.ElasticPolicy.MaxReplicas {
		workers.Replicas = elastic.Spec.ElasticPolicy.MaxReplicas
	}
}

// reconcile lets the controller find every replica but the last of each type, and make that one.
func (kind kind) reconcile(cluster *emptycluster.Cluster, job client.Object, specs replicas) error {
	controller, status := kind.controller(cluster), &kubeflow.JobStatus{}
	types := slices.Sorted(maps.Keys(specs))
	owner := *metav1.NewControllerRef(job, controller.GetAPIGroupVersionKind())
	var pods []*corev1.Pod
	var services []*corev1.Service
	for _, replicaType := range types {
		for index := range *specs[replicaType].Replicas - 1 {
			replica := replicaOf(job, replicaType, int(index), owner)
			pods = append(pods, &corev1.Pod{ObjectMeta: replica})
			services = append(services, &corev1.Service{ObjectMeta: replica})
			cluster.Hold(pods[len(pods)-1])
		}
	}
	for _, replicaType := range types {
		if err := controller.ReconcilePods(job, status, pods, replicaType, specs[replicaType], specs); err != nil {
			return err
		}
		if err := controller.ReconcileServices(job, services, replicaType, specs[replicaType]); err != nil {
			return err
		}
	}
	return nil
}

// replicaOf is what a pod and its service are known by.
func replicaOf(job client.Object, kind kubeflow.ReplicaType, index int, owner metav1.OwnerReference) metav1.ObjectMeta {
	lower := strings.ToLower(string(kind))
	return metav1.ObjectMeta{
		Name:      common.GenGeneralName(job.GetName(), lower, strconv.Itoa(index)),
		Namespace: job.GetNamespace(),
		Labels: map[string]string{
			kubeflow.ReplicaTypeLabel:  lower,
			kubeflow.ReplicaIndexLabel: strconv.Itoa(index),
		},
		OwnerReferences: []metav1.OwnerReference{owner},
	}
}

// adopt gives what was made as children of the job.
func (kind kind) adopt(
	cluster *emptycluster.Cluster, job judge.Object, counts map[kubeflow.ReplicaType]int,
) ([]judge.Child, error) {
	var made []judge.Child
	for _, object := range cluster.Made {
		role, count, origin := "", 1, emptycluster.Origin{Parent: job}
		for replicaType := range counts {
			if object.GetLabels()[kubeflow.ReplicaTypeLabel] == strings.ToLower(string(replicaType)) {
				role, count = string(replicaType), counts[replicaType]
				origin.Template = "/spec/" + kind.specs + "/" + judge.Escape(role) + "/template"
			}
		}
		child, err := cluster.Child(object, role, count, origin)
		if err != nil {
			return nil, err
		}
		made = append(made, child)
	}
	return made, nil
}
