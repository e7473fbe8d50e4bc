package life

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const collector = "garbage"

// collectGarbage is one round of the garbage collector (kubernetes pkg/controller/garbagecollector): what has lost all
// its owners goes, and what is deleted in the foreground or left by its owner waits for its dependents.
func collectGarbage(store *store) {
	present := map[types.UID]bool{}
	everything := store.list(func(*object) bool { return true })
	for _, one := range everything {
		present[one.GetUID()] = true
	}
	for _, one := range everything {
		owners := one.GetOwnerReferences()
		lost := len(owners) > 0 && !slices.ContainsFunc(owners, func(owner metav1.OwnerReference) bool { return present[owner.UID] })
		if lost && one.GetDeletionTimestamp() == nil {
			_ = store.remove(keyOf(one), metav1.DeletePropagationBackground, collector)
		}
		if one.GetDeletionTimestamp() != nil {
			release(store, one)
		}
	}
}

// release follows the finalizers by which a deletion is propagated.
func release(store *store, deleted *object) {
	dependents := store.list(func(one *object) bool { return owns(deleted, one) != nil })
	finalizers := deleted.GetFinalizers()
	if slices.Contains(finalizers, metav1.FinalizerOrphanDependents) {
		for _, dependent := range dependents {
			store.write(keyOf(dependent), func(one *object) {
				one.SetOwnerReferences(slices.DeleteFunc(one.GetOwnerReferences(),
					func(owner metav1.OwnerReference) bool { return owner.UID == deleted.GetUID() }))
			})
		}
		store.write(keyOf(deleted), func(one *object) { dropFinalizer(one, metav1.FinalizerOrphanDependents) })
	}
	if !slices.Contains(finalizers, metav1.FinalizerDeleteDependents) {
		return
	}
	blocked := false
	for _, dependent := range dependents {
		if block := owns(deleted, dependent).BlockOwnerDeletion; block != nil && *block {
			blocked = true
		}
		if dependent.GetDeletionTimestamp() == nil {
			_ = store.remove(keyOf(dependent), metav1.DeletePropagationForeground, collector)
		}
	}
	if !blocked {
		store.write(keyOf(deleted), func(one *object) { dropFinalizer(one, metav1.FinalizerDeleteDependents) })
	}
}

// owns is the reference by which one object belongs to another.
func owns(owner, dependent *object) *metav1.OwnerReference {
	for _, reference := range dependent.GetOwnerReferences() {
		if reference.UID == owner.GetUID() {
			return &reference
		}
	}
	return nil
}

// emptyNamespaces is one round of the namespace controller: it deletes what is in a namespace that is to go.
func emptyNamespaces(store *store) {
	for _, namespace := range store.list(isOfKind("Namespace")) {
		if namespace.GetDeletionTimestamp() == nil {
			continue
		}
		for _, one := range store.list(func(one *object) bool { return one.GetNamespace() == namespace.GetName() }) {
			if one.GetDeletionTimestamp() == nil {
				_ = store.remove(keyOf(one), metav1.DeletePropagationBackground, "namespace "+namespace.GetName())
			}
		}
		store.write(keyOf(namespace), func(one *object) { set(one, "Terminating", "status", "phase") })
		store.finish(keyOf(namespace))
	}
}

// bindClaims does what storage drivers and the protection of claims do. A claim is bound at once.
func bindClaims(store *store) {
	for _, claim := range store.list(isOfKind("PersistentVolumeClaim")) {
		if claim.GetDeletionTimestamp() != nil && !isMounted(store, claim) {
			store.write(keyOf(claim), func(one *object) { dropFinalizer(one, claimProtection) })
		}
		store.write(keyOf(claim), func(one *object) {
			set(one, "Bound", "status", "phase")
			set(one, "pvc-"+string(one.GetUID()), "spec", "volumeName")
		})
	}
}

func isMounted(store *store, claim *object) bool {
	return len(store.list(func(pod *object) bool {
		return pod.GetKind() == "Pod" && pod.GetNamespace() == claim.GetNamespace() &&
			slices.ContainsFunc(mapsIn(pod.Object, "spec", "volumes"), func(volume map[string]any) bool {
				return textIn(volume, "persistentVolumeClaim", "claimName") == claim.GetName()
			})
	})) > 0
}
