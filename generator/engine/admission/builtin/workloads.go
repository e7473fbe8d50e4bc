package builtin

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller"
	daemon "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/utils/ptr"
	"trainshed.dev/engine/admission/judge"
)

const template = "/spec/template"

func podsOfReplicaSet(owner owner) ([]judge.Child, error) {
	set := owner.stored.(*appsv1.ReplicaSet)
	pod, err := PodOfTemplate(&set.Spec.Template, set, "")
	return owner.pods(int(ptr.Deref(set.Spec.Replicas, 1)), template, pod), err
}

func podsOfReplicationController(owner owner) ([]judge.Child, error) {
	replication := owner.stored.(*corev1.ReplicationController)
	pod, err := PodOfTemplate(replication.Spec.Template, replication, "")
	return owner.pods(int(ptr.Deref(replication.Spec.Replicas, 1)), template, pod), err
}

// podsOfDeployment makes the pods of the replica set that stands between, which is called after a hash.
func podsOfDeployment(owner owner) ([]judge.Child, error) {
	deployment := owner.stored.(*appsv1.Deployment)
	hash := controller.ComputeHash(&deployment.Spec.Template, nil)
	set := &appsv1.ReplicaSet{}
	set.Name, set.Namespace, set.UID = deployment.Name+"-"+hash, deployment.Namespace, deployment.UID
	hashed := deployment.Spec.Template.DeepCopy()
	hashed.Labels = maps.Clone(hashed.Labels)
	hashed.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	pod, err := PodOfTemplate(hashed, set, "")
	return owner.pods(int(ptr.Deref(deployment.Spec.Replicas, 1)), template, pod), err
}

// podsOfDaemonSet makes the pod of one node: how many there are is the cluster's.
func podsOfDaemonSet(owner owner) ([]judge.Child, error) {
	set := owner.stored.(*appsv1.DaemonSet)
	hash := controller.ComputeHash(&set.Spec.Template, nil)
	stamped := daemon.CreatePodTemplate(set.Spec.Template, nil, hash)
	pod, err := PodOfTemplate(&stamped, set, "")
	return owner.pods(1, template, pod), err
}

// podsOfStatefulSet makes the last pod and its claims, for its names are the longest.
func podsOfStatefulSet(owner owner) ([]judge.Child, error) {
	set := owner.stored.(*appsv1.StatefulSet)
	replicas := int(ptr.Deref(set.Spec.Replicas, 1))
	typed := podOfStatefulSet(set, max(replicas, 1)-1)
	typed.Namespace = set.Namespace
	pod, err := Plain(typed)
	if err != nil {
		return nil, err
	}
	children := owner.pods(replicas, template, pod)
	claims := claimsOfStatefulSet(set, typed)
	for index, claimTemplate := range set.Spec.VolumeClaimTemplates {
		claim := claims[claimTemplate.Name]
		object, err := Plain(&claim)
		if err != nil {
			return nil, err
		}
		children = append(children, owner.claims(replicas, index, object))
	}
	return children, nil
}

func (owner owner) claims(count, index int, claim judge.Object) judge.Child {
	written := fmt.Sprintf("/spec/volumeClaimTemplates/%d", index)
	return judge.Child{
		Role:   owner.textAt(written + "/metadata/name"),
		Count:  count,
		Object: claim,
		Places: []judge.Place{
			{Child: "", Parent: written},
			{Child: "/metadata/name", Parent: "/metadata/name"},
			{Child: "/metadata/namespace", Parent: "/metadata/namespace"},
		},
		Fallback: written,
	}
}

func (owner owner) textAt(pointer string) string {
	found, _ := judge.At(owner.plain, pointer)
	text, _ := found.(string)
	return text
}
