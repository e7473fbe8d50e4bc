package kuberay

import (
	"context"
	"fmt"
	"math"
	"slices"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/common"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/judge"
)

// podsOf are the last ones alike: the head pod and what is made for it, and a pod of each worker group, of a RayCluster whose spec stands in
// its parent at a pointer.
func podsOf(rayCluster *rayv1.RayCluster, parent judge.Object, spec string) (made []judge.Child, err error) {
	counts := counted(rayCluster)
	cluster, err := bringUp(rayCluster)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, object := range cluster.Made {
		role, origin := "head", emptycluster.Origin{Parent: parent, Template: spec + "/headGroupSpec/template"}
		switch object.(type) {
		case *corev1.Secret: // holds a token that is never the same
			continue
		case *corev1.Pod:
			role, origin.Template = groupOf(object, rayCluster, spec)
			if seen[role] { // several hosts of one replica, all alike
				continue
			}
			seen[role] = true
		}
		child, err := adopt(cluster, object, spec, role, origin)
		if err != nil {
			return nil, err
		}
		child.Count = max(counts[role], 1)
		made = append(made, child)
	}
	return made, nil
}

// bringUp lets the operator make everything for a RayCluster that it sees for the first time.
func bringUp(rayCluster *rayv1.RayCluster) (*emptycluster.Cluster, error) {
	rayCluster.Spec.Suspend = nil
	controllerutil.AddFinalizer(rayCluster, utils.GCSFaultToleranceRedisCleanupFinalizer) // else it is all that is done
	cluster := emptycluster.Holding(scheme, rayCluster, accountOf(rayCluster))
	reconciler := ray.NewReconciler(context.Background(), cluster.Manager(), ray.RayClusterReconcilerOptions{})
	return cluster, run(reconciler, rayCluster)
}

// groupOf is the worker group of a pod, or the head, and where its template was written.
func groupOf(pod client.Object, rayCluster *rayv1.RayCluster, spec string) (role, template string) {
	for index, group := range rayCluster.Spec.WorkerGroupSpecs {
		if pod.GetLabels()[utils.RayNodeGroupLabelKey] == group.GroupName {
			return group.GroupName, fmt.Sprintf("%s/workerGroupSpecs/%d/template", spec, index)
		}
	}
	return "head", spec + "/headGroupSpec/template"
}

// adopt gives something that was made as a child, with where the user has a say about it.
func adopt(
	cluster *emptycluster.Cluster, made client.Object, spec, role string, origin emptycluster.Origin,
) (judge.Child, error) {
	child, err := cluster.Child(made, role, 1, origin)
	if err != nil {
		return child, err
	}
	for _, place := range operatorContainers(origin.Parent, spec, origin.Template, child) {
		isGeneral := func(general judge.Place) bool { return general.Child == place.Child }
		child.Places = append(slices.DeleteFunc(child.Places, isGeneral), place)
	}
	return child, nil
}

// accountOf is the service account of the head: the operator waits for it where the user names one.
func accountOf(cluster *rayv1.RayCluster) *corev1.ServiceAccount {
	name := cluster.Spec.HeadGroupSpec.Template.Spec.ServiceAccountName
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: cluster.Namespace}}
}

// counted cuts every worker group to one replica, and says how many pods it may have.
func counted(cluster *rayv1.RayCluster) map[string]int {
	counts := map[string]int{}
	for index := range cluster.Spec.WorkerGroupSpecs {
		group := &cluster.Spec.WorkerGroupSpecs[index]
		hosts := int(max(group.NumOfHosts, 1))
		group.NumOfHosts = 1
		count := int(utils.GetWorkerGroupDesiredReplicas(*group)) * hosts
		// A group without a bound is counted as it starts.
		most := ptr.Deref(group.MaxReplicas, math.MaxInt32)
		if utils.IsAutoscalingEnabled(&cluster.Spec) && most < math.MaxInt32 && !ptr.Deref(group.Suspend, false) {
			count = int(most) * hosts
		}
		counts[group.GroupName] = count
		one := ptr.To(int32(min(count, 1)))
		group.Replicas, group.MinReplicas, group.MaxReplicas = one, one, one
		group.NumOfHosts = int32(min(hosts, 2)) // several are made in another way than one
		group.ScaleStrategy.WorkersToDelete = nil
	}
	return counts
}

// operatorContainers says where the user has a say about the containers that the operator brings along.
func operatorContainers(parent judge.Object, spec, template string, child judge.Child) (places []judge.Place) {
	if options := spec + "/autoscalerOptions"; isAt(parent, options) {
		places = append(places, named(child.Object, "/spec/containers", common.AutoscalerContainerName, "", options)...)
	}
	context := "/securityContext" // which the operator copies from the first container
	written := template + "/spec/containers/0" + context
	return append(places, named(child.Object, "/spec/initContainers", "wait-gcs-ready", context, written)...)
}

// named places what stands below the container of a name.
func named(child judge.Object, list, name, inner, parent string) (places []judge.Place) {
	found, _ := judge.At(child, list)
	containers, _ := found.([]any)
	for index, container := range containers {
		if container.(map[string]any)["name"] == name {
			places = append(places, judge.Place{Child: fmt.Sprintf("%s/%d%s", list, index, inner), Parent: parent})
		}
	}
	return places
}

func isAt(object judge.Object, pointer string) bool {
	_, isThere := judge.At(object, pointer)
	return isThere
}
