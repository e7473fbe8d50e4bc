package life

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// claimProtection is put on claims by the admission plugin StorageObjectInUseProtection, and taken off by its
// controller once no pod uses the claim.
const claimProtection = "kubernetes.io/pvc-protection"

// protect puts the finalizers on a new object that admission plugins put there.
func protect(made *object) {
	if made.GetKind() == "PersistentVolumeClaim" {
		made.SetFinalizers(append(made.GetFinalizers(), claimProtection))
	}
}

// remove deletes an object as the API server does: what has finalizers is only marked.
func (store *store) remove(place key, how metav1.DeletionPropagation, by string) error {
	store.lock.Lock()
	defer store.lock.Unlock()
	found := store.objects[place]
	if found == nil {
		return apierrors.NewNotFound(resourceOf(&object{}), place.name)
	}
	changed := found.DeepCopy()
	switch how {
	case metav1.DeletePropagationForeground:
		addFinalizer(changed, metav1.FinalizerDeleteDependents)
	case metav1.DeletePropagationOrphan:
		addFinalizer(changed, metav1.FinalizerOrphanDependents)
	}
	if changed.GetDeletionTimestamp() == nil {
		now := store.now()
		changed.SetDeletionTimestamp(&now)
		store.askers[changed.GetUID()] = by
		store.put(changed)
	} else if !same(changed, found) {
		store.put(changed)
	}
	store.sweep(changed)
	return nil
}

// finish takes an object away that is marked, once nothing holds it any more.
func (store *store) finish(place key) {
	store.lock.Lock()
	defer store.lock.Unlock()
	if found := store.objects[place]; found != nil {
		store.sweep(found)
	}
}

// sweep takes an object away that is marked, and that nobody holds any more. A namespace is held by what is in it.
func (store *store) sweep(marked *object) {
	if marked.GetDeletionTimestamp() == nil || len(marked.GetFinalizers()) > 0 || store.isHome(marked) {
		return
	}
	delete(store.objects, keyOf(marked))
	store.writes++
	store.news++
	store.gate.note(marked)
	store.log.add("deleted", marked, store.askers[marked.GetUID()], "")
	delete(store.askers, marked.GetUID())
}

func (store *store) isHome(namespace *object) bool {
	if namespace.GetKind() != "Namespace" {
		return false
	}
	for place := range store.objects {
		if place.namespace == namespace.GetName() {
			return true
		}
	}
	return false
}

func addFinalizer(changed *object, finalizer string) {
	if !slices.Contains(changed.GetFinalizers(), finalizer) {
		changed.SetFinalizers(append(changed.GetFinalizers(), finalizer))
	}
}

func dropFinalizer(changed *object, finalizer string) {
	changed.SetFinalizers(slices.DeleteFunc(changed.GetFinalizers(), func(one string) bool { return one == finalizer }))
}
