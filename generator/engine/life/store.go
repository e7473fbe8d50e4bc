// Package life plays commits through Argo CD's own sync library against an API in memory, on whose other side the
// operators and Kueue write: what a merge does to a cluster, without a cluster.
package life

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

type object = unstructured.Unstructured

// key names an object in any version of its API.
type key struct{ group, kind, namespace, name string }

func keyOf(object *object) key {
	kind := object.GroupVersionKind()
	return key{kind.Group, kind.Kind, object.GetNamespace(), object.GetName()}
}

func (key key) String() string {
	if key.namespace == "" {
		return key.kind + " " + key.name
	}
	return key.kind + " " + key.namespace + "/" + key.name
}

func (key key) compare(other key) int {
	return cmp.Or(cmp.Compare(key.kind, other.kind), cmp.Compare(key.namespace, other.namespace),
		cmp.Compare(key.name, other.name), cmp.Compare(key.group, other.group))
}

// store is the API in memory. What it gives out are copies. It may be asked by many at once, as Argo CD does.
type store struct {
	gate    *gate
	log     *log
	lock    sync.Mutex
	objects map[key]*object
	// lives counts how often an object of a name was created; it makes uids that are the same in every run.
	lives map[key]int
	// writes counts what was changed: it is the clock, and by it the world knows that it has come to rest.
	writes int
	// news counts the same without what Argo CD says about itself.
	news int
	// askers are those who asked for a deletion that waits for finalizers.
	askers map[types.UID]string
}

func newStore(gate *gate, log *log) *store {
	return &store{gate: gate, log: log, objects: map[key]*object{}, lives: map[key]int{}, askers: map[types.UID]string{}}
}

// get is a copy of an object, nil if there is none.
func (store *store) get(key key) *object {
	store.lock.Lock()
	defer store.lock.Unlock()
	if found := store.objects[key]; found != nil {
		return found.DeepCopy()
	}
	return nil
}

// list are copies of all objects that are chosen, in the order of their names.
func (store *store) list(chosen func(*object) bool) []*object {
	store.lock.Lock()
	defer store.lock.Unlock()
	var found []*object
	for _, one := range store.objects {
		if chosen(one) {
			found = append(found, one.DeepCopy())
		}
	}
	slices.SortFunc(found, func(one, other *object) int { return keyOf(one).compare(keyOf(other)) })
	return found
}

// create puts a new object through admission and stores it.
func (store *store) create(made *object, by string) (*object, error) {
	store.lock.Lock()
	defer store.lock.Unlock()
	return store.insert(made.DeepCopy(), by)
}

func (store *store) insert(made *object, by string) (*object, error) {
	if store.objects[keyOf(made)] != nil {
		return nil, apierrors.NewAlreadyExists(resourceOf(made), made.GetName())
	}
	if err := store.hasPlaceFor(made); err != nil {
		return nil, store.refuse(made, by, err)
	}
	kept, err := store.gate.create(store.objects, made)
	if err != nil {
		return nil, store.refuse(made, by, err)
	}
	place := keyOf(kept)
	store.lives[place]++
	kept.SetUID(uidOf(place, store.lives[place]))
	kept.SetGeneration(1)
	protect(kept)
	kept.SetCreationTimestamp(store.now())
	store.put(kept)
	store.log.add("created", kept, by, "")
	return kept.DeepCopy(), nil
}

// update replaces an object's desired state through admission; status, uid and deletion stay as they are.
func (store *store) update(changed *object, by string) (*object, error) {
	store.lock.Lock()
	defer store.lock.Unlock()
	return store.replace(changed.DeepCopy(), by)
}

func (store *store) replace(changed *object, by string) (*object, error) {
	before := store.objects[keyOf(changed)]
	if before == nil {
		return nil, apierrors.NewNotFound(resourceOf(changed), changed.GetName())
	}
	keepIdentity(changed, before)
	if same(changed, before) {
		before.SetManagedFields(changed.GetManagedFields())
		return before.DeepCopy(), nil
	}
	kept, err := store.gate.update(store.objects, changed, before)
	if err != nil {
		return nil, store.refuse(changed, by, err)
	}
	keepIdentity(kept, before)
	if same(kept, before) {
		return before.DeepCopy(), nil
	}
	if !same(specOf(kept), specOf(before)) {
		kept.SetGeneration(before.GetGeneration() + 1)
	}
	store.put(kept)
	store.log.add("changed", kept, by, "")
	store.sweep(kept)
	return kept.DeepCopy(), nil
}

// write is what a controller that runs in the cluster writes: status, finalizers, what it owns in a spec. It is taken
// as accepted, and not logged; who starts or stops something says so.
func (store *store) write(place key, change func(*object)) {
	store.lock.Lock()
	defer store.lock.Unlock()
	before := store.objects[place]
	if before == nil {
		return
	}
	changed := before.DeepCopy()
	change(changed)
	if same(changed, before) {
		return
	}
	if !same(specOf(changed), specOf(before)) {
		changed.SetGeneration(before.GetGeneration() + 1)
	}
	store.put(changed)
	store.sweep(changed)
}

func (store *store) put(kept *object) {
	store.writes++
	if before := store.objects[keyOf(kept)]; before == nil || !isApplication(kept) || !same(specOf(before), specOf(kept)) {
		store.news++
	}
	kept.SetResourceVersion(fmt.Sprint(store.writes))
	store.objects[keyOf(kept)] = kept
	store.gate.note(kept)
}

// tidings tells Argo CD that others have been at work.
func (store *store) tidings() int { return store.news }

// now is a time that only writes move on.
func (store *store) now() metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 0, 0, store.writes, 0, time.UTC))
}

// time is now, as statuses spell it.
func (store *store) time() string { return store.now().UTC().Format(time.RFC3339) }

func (store *store) refuse(asked *object, by string, reason error) error {
	store.log.add("refused", asked, by, reason.Error())
	return apierrors.NewForbidden(resourceOf(asked), asked.GetName(), reason)
}

// hasPlaceFor is what the admission plugin NamespaceLifecycle asks.
func (store *store) hasPlaceFor(made *object) error {
	if made.GetNamespace() == "" {
		return nil
	}
	namespace := store.objects[key{kind: "Namespace", name: made.GetNamespace()}]
	if namespace == nil {
		return fmt.Errorf("namespaces %q not found", made.GetNamespace())
	}
	if namespace.GetDeletionTimestamp() != nil {
		return fmt.Errorf("namespace %s is being terminated", made.GetNamespace())
	}
	return nil
}

func uidOf(place key, life int) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%v %d", place, life)).String())
}

func resourceOf(object *object) schema.GroupResource {
	return schema.GroupResource{Group: object.GroupVersionKind().Group, Resource: object.GetKind()}
}
