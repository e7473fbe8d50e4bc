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

// children are a pod and a service of each replica type: those of the last replica, whose names are the longest, or
// those of every replica.
func children(review judge.Review) (made []judge.Child, err error) {
	kind := kinds[judge.KindOf(review.Object).Kind]
	job := kind.empty()
	if err := emptycluster.Decode(review.Object, job); err != nil {
		return nil, err
	}
	scheme.Default(job)
	scaleOut(job)
	specs, policy := kind.read(job)
	counts, err := counted(review, specs)
	if err != nil {
		return nil, err
	}
	if policy.ManagedBy != nil && *policy.ManagedBy != kubeflow.KubeflowJobsController {
		return nil, nil
	}
	cluster := emptycluster.Holding(scheme)
	work := func() error {
		err := kind.reconcile(cluster, job, specs, allButLast(review, job, specs))
		if _, isMPI := job.(*kubeflow.MPIJob); !isMPI || !review.Every || err != nil {
			return err
		}
		cluster.RunPods() // the launcher is told of the workers that run
		return kind.reconcile(cluster, job, specs, nil)
	}
	if err := withConfig(review.Around, work); err != nil {
		return nil, err
	}
	return kind.adopt(cluster, review, counts)
}

// mostReplicas is how many of a type are followed one by one; of more, the last are like the others.
const mostReplicas = 4096

// counted says how many pods there are of each type. Where only the last is looked at, the controller makes one of none.
func counted(review judge.Review, specs replicas) (map[kubeflow.ReplicaType]int, error) {
	counts, all, least := map[kubeflow.ReplicaType]int{}, 0, 1
	if review.Every {
		least = 0
	}
	for replicaType, spec := range specs {
		counts[replicaType] = max(int(ptr.Deref(spec.Replicas, 1)), least)
		spec.Replicas = ptr.To(int32(min(counts[replicaType], mostReplicas)))
		all += counts[replicaType]
	}
	if review.Every {
		return counts, judge.FewEnough(all)
	}
	return counts, nil
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

// allButLast are the replicas of each type that the controller finds, so that it makes the last; none where it is to
// make every one.
func allButLast(review judge.Review, job client.Object, specs replicas) (found []metav1.ObjectMeta) {
	if review.Every {
		return nil
	}
	owner := *metav1.NewControllerRef(job, judge.KindOf(review.Object))
	for _, replicaType := range slices.Sorted(maps.Keys(specs)) {
		for index := range *specs[replicaType].Replicas - 1 {
			found = append(found, replicaOf(job, replicaType, int(index), owner))
		}
	}
	return found
}

// reconcile lets the controller make what it does not find.
func (kind kind) reconcile(
	cluster *emptycluster.Cluster, job client.Object, specs replicas, found []metav1.ObjectMeta,
) error {
	controller, status := kind.controller(cluster), &kubeflow.JobStatus{}
	pods, services := make([]*corev1.Pod, len(found)), make([]*corev1.Service, len(found))
	for index, replica := range found {
		pods[index], services[index] = &corev1.Pod{ObjectMeta: replica}, &corev1.Service{ObjectMeta: replica}
		cluster.Hold(pods[index])
	}
	for _, replicaType := range slices.Sorted(maps.Keys(specs)) {
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
	cluster *emptycluster.Cluster, review judge.Review, counts map[kubeflow.ReplicaType]int,
) ([]judge.Child, error) {
	var made []judge.Child
	for _, object := range cluster.Made {
		role, count, origin := "", 1, emptycluster.Origin{Parent: review.Object}
		for replicaType := range counts {
			if object.GetLabels()[kubeflow.ReplicaTypeLabel] == strings.ToLower(string(replicaType)) {
				role, count = string(replicaType), review.Standing(counts[replicaType])
				origin.Template = "/spec/" + kind.specs + "/" + judge.Escape(role) + "/template"
			}
		}
		child, err := cluster.Child(object, role, count, origin)
		if err != nil {
			return nil, err
		}
		child.Index, _ = strconv.Atoi(object.GetLabels()[kubeflow.ReplicaIndexLabel])
		made = append(made, child)
	}
	return made, nil
}
