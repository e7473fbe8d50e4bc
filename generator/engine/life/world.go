package life

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"trainshed.dev/engine/admission"
)

// byHand is who did what a step of the play says a person did.
const byHand = "hand"

// mostRounds is when a world that has not come to rest never will.
const mostRounds = 100

// world is a cluster, its controllers, and the Argo CD that runs in it.
type world struct {
	gate  *gate
	log   *log
	store *store
	kinds *kinds
	argo  *argo
}

func newWorld(setting admission.Setting, repository string) *world {
	world := &world{gate: &gate{setting: setting}, log: &log{}}
	world.argo = &argo{repository: repository}
	world.settle(newStore(world.gate, world.log))
	return world
}

// settle moves everybody into a cluster.
func (world *world) settle(store *store) {
	world.store, world.gate.door = store, nil
	world.kinds = &kinds{gate: world.gate, known: map[kindName]*served{}}
	_, _ = world.kinds.find(corev1.SchemeGroupVersion.WithKind("Namespace")) // Argo CD's library asks for it unbidden
	world.argo.cluster, world.argo.kinds, world.argo.reach = store, world.kinds, world.reach
	world.argo.operations = map[types.UID]*operation{}
}

// rebuild loses the cluster: a new one is empty, and has no Argo CD in it. Nothing there has a uid of before.
func (world *world) rebuild() {
	fresh := newStore(world.gate, world.log)
	fresh.lives = world.store.lives
	world.settle(fresh)
}

// upgrade replaces operators, and with them what the API server serves.
func (world *world) upgrade(setting admission.Setting) {
	world.gate.setting, world.gate.door = setting, nil
	world.kinds.known = map[kindName]*served{}
}

// rest lets everybody work until nobody writes any more. It gives the number of rounds, and whether that came to be.
func (world *world) rest() (int, bool) {
	for round := 1; round <= mostRounds; round++ {
		world.log.round = round
		before := world.store.writes
		collectGarbage(world.store)
		emptyNamespaces(world.store)
		bindClaims(world.store)
		kueue{world.store}.round()
		operators{world.store}.round()
		world.argo.round()
		if world.store.writes == before {
			return round, true
		}
	}
	return mostRounds, false
}

// apply applies a folder by hand, and makes the namespaces that it needs.
func (world *world) apply(folder string) error {
	objects, err := world.argo.head.read(folder)
	if err == nil && len(objects) == 0 {
		err = fmt.Errorf("there is nothing in %s", folder)
	}
	if err != nil {
		return err
	}
	for _, one := range objects {
		kind, err := world.kinds.find(one.GroupVersionKind())
		if err != nil {
			return err
		}
		if kind.namespaced && world.store.get(key{kind: "Namespace", name: one.GetNamespace()}) == nil {
			if _, err := world.store.create(namespace(one.GetNamespace()), byHand); err != nil {
				return err
			}
		}
		if _, err := world.store.apply(one, kind, "kubectl", byHand); err != nil {
			return err
		}
	}
	return nil
}

func namespace(name string) *object {
	return &object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
}

// fire has a CronJob make the Job of one of its times.
func (world *world) fire(schedule *object) error {
	children, err := world.store.children(schedule)
	if err != nil {
		return err
	}
	for _, child := range children {
		made := ownedBy(schedule, child.Object)
		made.SetName(fmt.Sprintf("%s-%d", schedule.GetName(), world.store.writes))
		if _, err := world.store.create(made, "cronjob"); err != nil {
			return err
		}
	}
	return nil
}

func (world *world) delete(place key) error {
	return world.store.remove(place, metav1.DeletePropagationBackground, byHand)
}

func (world *world) edit(place key, patch json.RawMessage) error {
	return world.store.merge(place, patch, byHand)
}

// find is the one object of a name, of a kind and in a namespace where they are given.
func (world *world) find(asked subject) (*object, error) {
	found := world.store.list(func(one *object) bool {
		isKind := asked.Kind == one.GetKind() || asked.Kind == "" && (carrierOf(one) != nil || one.GetKind() == "CronJob")
		return isKind && one.GetName() == asked.Name && (asked.Namespace == "" || asked.Namespace == one.GetNamespace())
	})
	if len(found) == 0 {
		return nil, fmt.Errorf("there is no object of that name: %q", asked.Name)
	}
	for _, one := range found {
		if metav1.GetControllerOf(one) == nil || isFired(one) {
			return one, nil
		}
	}
	return found[0], nil
}
