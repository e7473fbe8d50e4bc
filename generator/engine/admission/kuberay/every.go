package kuberay

import (
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

// everyPodOf are the head, every worker that a RayCluster starts with, by its group, and what is made beside them.
func everyPodOf(rayCluster *rayv1.RayCluster, parent judge.Object) (made []judge.Child, err error) {
	all := 1
	for _, group := range rayCluster.Spec.WorkerGroupSpecs {
		all += int(utils.GetWorkerGroupDesiredReplicas(group)) * int(max(group.NumOfHosts, 1))
	}
	if err := judge.FewEnough(all); err != nil {
		return nil, err
	}
	cluster, err := bringUp(rayCluster)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for _, object := range cluster.Made {
		role, origin := "", emptycluster.Origin{Parent: parent, Template: "/spec/headGroupSpec/template"}
		if _, isPod := object.(*corev1.Pod); isPod {
			role, origin.Template = groupOf(object, rayCluster, "/spec")
		}
		child, err := adopt(cluster, object, "/spec", role, origin)
		if err != nil {
			return nil, err
		}
		if role != "" {
			child.Index = seen[role]
			seen[role]++
		}
		made = append(made, child)
	}
	return made, nil
}

// everyChildOf are a RayJob's own RayCluster, and the Job that submits once it is ready, to the address of its head.
func everyChildOf(
	job *rayv1.RayJob, reconciler *ray.RayJobReconciler, cluster *emptycluster.Cluster, parent judge.Object,
) (made []judge.Child, err error) {
	job.Status.DashboardURL = ""
	if err := run(reconciler, job); err != nil {
		return nil, err
	}
	for _, object := range cluster.Made {
		rayCluster, isOurs := object.(*rayv1.RayCluster)
		if !isOurs {
			continue
		}
		child, err := owned(cluster, rayCluster, parent, "/spec/rayClusterSpec")
		if err != nil {
			return nil, err
		}
		made = append(made, child)
		if err := becomeReady(cluster, rayCluster); err != nil {
			return nil, err
		}
	}
	if err := run(reconciler, job); err != nil {
		return nil, err
	}
	for _, object := range cluster.Made {
		if submits, isJob := object.(*batchv1.Job); isJob {
			more, err := submitter(cluster, submits, parent)
			if err != nil {
				return nil, err
			}
			made = append(made, more...)
		}
	}
	return made, nil
}

// becomeReady has a RayCluster ready, with the Services that the operator makes for it.
func becomeReady(cluster *emptycluster.Cluster, rayCluster *rayv1.RayCluster) error {
	own, err := bringUp(rayCluster.DeepCopy())
	if err != nil {
		return err
	}
	for _, object := range own.Made {
		if service, isService := object.(*corev1.Service); isService {
			cluster.Hold(service)
		}
	}
	rayCluster.Status.State = rayv1.Ready
	return nil
}
