package life

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"trainshed.dev/engine/admission/judge"
)

// operators are the controllers of the kinds that carry runs. Who makes what of an object is asked of their own code;
// of each different pod one is made.
type operators struct{ store *store }

// round lets every operator look at each of its objects once.
func (operators operators) round() {
	for _, one := range operators.store.list(func(one *object) bool { return carrierOf(one) != nil }) {
		carrier := carrierOf(one)
		switch {
		case one.GetDeletionTimestamp() != nil:
			operators.store.write(keyOf(one), func(one *object) { dropFinalizer(one, carrier.finalizer) })
		case carrier.hasEnded(one):
		case carrier.isSuspended(one):
			operators.hold(one, carrier)
		case !operators.isGoing(one, carrier):
			operators.start(one, carrier)
		}
	}
}

// isGoing says whether an object runs. A JobSet and a TrainJob do not say so themselves, but what they made does.
func (operators operators) isGoing(one *object, carrier *carrier) bool {
	if carrier.conditions[running] == nil && carrier.fields[running] == nil {
		return len(operators.dependents(one)) > 0
	}
	return carrier.is(one, running)
}

// hold stops what runs, and says that the object is suspended.
func (operators operators) hold(one *object, carrier *carrier) {
	if operators.isGoing(one, carrier) && !carrier.is(one, suspended) {
		operators.tell("stopped", one)
		for _, made := range operators.dependents(one) {
			_ = operators.store.remove(keyOf(made), metav1.DeletePropagationBackground, carrier.operator)
		}
	}
	operators.say(one, created)
	operators.say(one, suspended)
}

func (operators operators) start(one *object, carrier *carrier) {
	operators.say(one, created)
	if carrier.is(one, suspended) {
		operators.say(one, resumed)
	}
	if carrier.finalizer != "" {
		operators.store.write(keyOf(one), func(one *object) { addFinalizer(one, carrier.finalizer) })
	}
	children, err := operators.children(one)
	if err != nil {
		operators.store.log.add("refused", one, carrier.operator, err.Error())
		return
	}
	for _, child := range children {
		_, _ = operators.store.create(ownedBy(one, child), carrier.operator) // a refusal is in the log
	}
	operators.tell("started", one)
	operators.say(one, running)
}

// end lets a run come to its end, with everything that was made for it.
func (operators operators) end(one *object, how state) error {
	carrier := carrierOf(one)
	if !operators.isGoing(one, carrier) {
		return fmt.Errorf("%s does not run", keyOf(one))
	}
	for _, made := range operators.dependents(one) {
		if carrierOf(made) != nil && made.GetKind() != "RayCluster" {
			if err := operators.end(made, how); err != nil {
				return err
			}
		}
	}
	operators.say(one, how)
	operators.tell(string(how), one)
	operators.cleanUp(one)
	return nil
}

// cleanUp deletes what an operator deletes when a run has ended.
func (operators operators) cleanUp(one *object) {
	for _, made := range operators.dependents(one) {
		isOver := made.GetKind() == "Pod" && textIn(one.Object, "spec", "runPolicy", "cleanPodPolicy") == "All" ||
			made.GetKind() == "RayCluster" && boolIn(one.Object, "spec", "shutdownAfterJobFinishes")
		if isOver {
			_ = operators.store.remove(keyOf(made), metav1.DeletePropagationBackground, carrierOf(one).operator)
		}
	}
}

// expire deletes what has ended and says that it may be deleted after some time.
func (operators operators) expire() {
	for _, one := range operators.store.list(func(one *object) bool { return carrierOf(one) != nil }) {
		carrier := carrierOf(one)
		if _, written, _ := unstructured.NestedFieldNoCopy(one.Object, carrier.ttl...); !written || carrier.ttl == nil {
			continue
		}
		if carrier.hasEnded(one) {
			_ = operators.store.remove(keyOf(one), metav1.DeletePropagationBackground, "ttl")
		}
	}
}

func (operators operators) say(one *object, now state) {
	operators.store.write(keyOf(one), func(one *object) { carrierOf(one).says(one, now, operators.store.time()) })
}

// tell logs what becomes of a run. What an operator made for a run is none of its own.
func (operators operators) tell(what string, one *object) {
	if metav1.GetControllerOf(one) == nil || isFired(one) {
		operators.store.log.add(what, one, carrierOf(one).operator, "")
	}
}

// isFired says whether an object is a run of a schedule.
func isFired(one *object) bool {
	owner := metav1.GetControllerOf(one)
	return owner != nil && owner.Kind == "CronJob"
}

func (operators operators) dependents(one *object) []*object {
	return operators.store.list(func(other *object) bool {
		return owns(one, other) != nil && other.GetKind() != "Workload"
	})
}

func (operators operators) children(one *object) ([]judge.Object, error) {
	children, err := operators.store.children(one)
	var objects []judge.Object
	if one.GetKind() == "RayJob" {
		objects = append(objects, clusterOf(one))
	}
	for _, child := range children {
		if one.GetKind() != "RayJob" || judge.KindOf(child.Object).Kind == "Job" {
			objects = append(objects, child.Object)
		}
	}
	return objects, err
}

// clusterOf is the RayCluster that KubeRay makes for a RayJob, whose labels and annotations it copies (KubeRay
// controllers/ray/rayjob_controller.go).
func clusterOf(one *object) judge.Object {
	return judge.Object{
		"apiVersion": one.GetAPIVersion(), "kind": "RayCluster",
		"metadata": map[string]any{
			"name": one.GetName() + "-00000", "namespace": one.GetNamespace(),
			"labels": copied(one, "labels"), "annotations": copied(one, "annotations"),
		},
		"spec": one.DeepCopy().Object["spec"].(map[string]any)["rayClusterSpec"],
	}
}

func copied(one *object, what string) any {
	values := mapIn(one.DeepCopy().Object, "metadata", what)
	if values == nil {
		return map[string]any{}
	}
	return values
}

func ownedBy(owner *object, made judge.Object) *object {
	child := (&object{Object: made}).DeepCopy()
	kind := owner.GroupVersionKind()
	child.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: owner.GetName(), UID: owner.GetUID(),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}})
	unstructured.RemoveNestedField(child.Object, "status")
	return child
}
