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
	if err != nil {
		return nil, err
	}
	return owner.alike(int(ptr.Deref(set.Spec.Replicas, 1)), template, pod)
}

func podsOfReplicationController(owner owner) ([]judge.Child, error) {
	replication := owner.stored.(*corev1.ReplicationController)
	pod, err := PodOfTemplate(replication.Spec.Template, replication, "")
	if err != nil {
		return nil, err
	}
	return owner.alike(int(ptr.Deref(replication.Spec.Replicas, 1)), template, pod)
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
	if err != nil {
		return nil, err
	}
	return owner.alike(int(ptr.Deref(deployment.Spec.Replicas, 1)), template, pod)
}

// podsOfDaemonSet makes the pod of one node: how many there are is the cluster's.
func podsOfDaemonSet(owner owner) ([]judge.Child, error) {
	set := owner.stored.(*appsv1.DaemonSet)
	hash := controller.ComputeHash(&set.Spec.Template, nil)
	stamped := daemon.CreatePodTemplate(set.Spec.Template, nil, hash)
	pod, err := PodOfTemplate(&stamped, set, "")
	if err != nil {
		return nil, err
	}
	return owner.alike(1, template, pod)
}

// podsOfStatefulSet makes the last pod and its claims, for its names are the longest, or those of every ordinal.
func podsOfStatefulSet(owner owner) (children []judge.Child, err error) {
	set := owner.stored.(*appsv1.StatefulSet)
	replicas := int(ptr.Deref(set.Spec.Replicas, 1))
	indexes, err := owner.review.Indexes(replicas)
	if err != nil {
		return nil, err
	}
	for _, index := range indexes {
		made, err := ordinal(owner, set, max(index, 0), replicas)
		if err != nil {
			return nil, err
		}
		children = append(children, made...)
	}
	return children, nil
}

// ordinal makes one pod of a set, and its claims.
func ordinal(owner owner, set *appsv1.StatefulSet, index, replicas int) ([]judge.Child, error) {
	typed := podOfStatefulSet(set, index)
	typed.Namespace = set.Namespace
	pod, err := Plain(typed)
	if err != nil {
		return nil, err
	}
	children := []judge.Child{owner.pod(index, replicas, template, pod)}
	claims := claimsOfStatefulSet(set, typed)
	for place, claimTemplate := range set.Spec.VolumeClaimTemplates {
		claim := claims[claimTemplate.Name]
		object, err := Plain(&claim)
		if err != nil {
			return nil, err
		}
		child := owner.claim(place, object)
		child.Index, child.Count = index, owner.review.Standing(replicas)
		children = append(children, child)
	}
	return children, nil
}

// claim is one that is made of a template in the set.
func (owner owner) claim(place int, claim judge.Object) judge.Child {
	written := fmt.Sprintf("/spec/volumeClaimTemplates/%d", place)
	return judge.Child{
		Role:   owner.textAt(written + "/metadata/name"),
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
	found, _ := judge.At(owner.review.Object, pointer)
	text, _ := found.(string)
	return text
}
