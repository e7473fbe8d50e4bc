package life

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kueue/pkg/controller/constants"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"

	"trainshed.dev/engine/admission/judge"
	kueuejudge "trainshed.dev/engine/admission/kueue"
)

const (
	kueueName      = "kueue"
	kueueFinalizer = "kueue.x-k8s.io/resource-in-use"
	kueueVersion   = "kueue.x-k8s.io/v1beta2"
)

// kueue is the reconciler of jobs (Kueue pkg/controller/jobframework/reconciler.go). Whom it admits, a step of the play
// says; each pod template gets the first flavor of the queue that suits it. What Kueue writes into the runtimePatches of a
// TrainJob is left out.
type kueue struct{ store *store }

// round lets Kueue look at every workload once.
func (kueue kueue) round() {
	for _, one := range kueue.store.list(isQueued) {
		if one.GetDeletionTimestamp() == nil {
			kueue.reconcile(one)
		}
	}
	for _, workload := range kueue.store.list(isOfKind("Workload")) {
		if workload.GetDeletionTimestamp() != nil {
			kueue.store.write(keyOf(workload), func(one *object) { dropFinalizer(one, kueueFinalizer) })
		}
	}
	kueue.keepQueues()
}

// isQueued says whether an object asks for a queue itself: what is made for one that does is admitted with it.
func isQueued(one *object) bool {
	carried := carrierOf(one) != nil && one.GetLabels()[constants.QueueLabel] != ""
	return carried && (metav1.GetControllerOf(one) == nil || isFired(one))
}

func (kueue kueue) reconcile(one *object) {
	carrier, workload := carrierOf(one), kueue.workloadOf(one)
	switch {
	case carrier.hasEnded(one):
		kueue.finish(workload)
	case workload == nil && !carrier.isSuspended(one):
		kueue.suspend(one, "no Workload")
	case workload == nil:
		kueue.enqueue(one)
	case !carrier.isSuspended(one) && kueue.differs(one, workload):
		kueue.suspend(one, "No matching Workload; restoring pod templates according to existent Workload")
		_ = kueue.store.remove(keyOf(workload), metav1.DeletePropagationBackground, kueueName)
	case isTrue(workload, "Admitted") && carrier.isSuspended(one):
		kueue.release(one, workload)
	case !isTrue(workload, "Admitted") && !carrier.isSuspended(one):
		kueue.suspend(one, "Not admitted by cluster queue")
	}
}

func isTrue(one *object, kind string) bool { return textIn(conditionOf(one, kind), "status") == "True" }

func (kueue kueue) workloadOf(one *object) *object {
	for _, workload := range kueue.store.list(isOfKind("Workload")) {
		if owns(one, workload) != nil {
			return workload
		}
	}
	return nil
}

// construct is the Workload that Kueue's own code makes.
func (kueue kueue) construct(one *object) (*object, error) {
	made, err := kueuejudge.Workload(one.DeepCopy().Object, kueue.store.around())
	if err != nil {
		return nil, err
	}
	workload := ownedBy(one, made)
	workload.SetName(jobframework.GetWorkloadNameForOwnerWithGVK(one.GetName(), one.GetUID(), one.GroupVersionKind()))
	workload.SetNamespace(one.GetNamespace())
	workload.SetGroupVersionKind(workload.GroupVersionKind())
	workload.SetAPIVersion(kueueVersion)
	workload.SetKind("Workload")
	return workload, nil
}

func (kueue kueue) enqueue(one *object) {
	workload, err := kueue.construct(one)
	if err != nil {
		kueue.store.log.add("refused", one, kueueName, err.Error())
		return
	}
	addFinalizer(workload, kueueFinalizer)
	_, _ = kueue.store.create(workload, kueueName) // a refusal is in the log
}

// admit reserves quota for a workload that waits.
func (kueue kueue) admit(one *object) error {
	workload := kueue.workloadOf(one)
	if workload == nil {
		return fmt.Errorf("%s waits in no queue", keyOf(one))
	}
	queue := kueue.clusterQueueOf(workload)
	kueue.store.write(keyOf(workload), func(workload *object) {
		set(workload, queue, "status", "admission", "clusterQueue")
		setCondition(workload, condition{"QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue " + queue}, kueue.store.time())
		setCondition(workload, condition{"Admitted", "True", "Admitted", "The workload is admitted"}, kueue.store.time())
	})
	return nil
}

// evict takes the quota away again, for somebody more important.
func (kueue kueue) evict(one *object) error {
	workload := kueue.workloadOf(one)
	if workload == nil || !isTrue(workload, "Admitted") {
		return fmt.Errorf("%s is not admitted", keyOf(one))
	}
	kueue.store.write(keyOf(workload), func(workload *object) {
		setCondition(workload, condition{"Evicted", "True", "Preempted", "Preempted to accommodate a workload"}, kueue.store.time())
		setCondition(workload, condition{"QuotaReserved", "False", "Preempted", "Preempted to accommodate a workload"}, kueue.store.time())
		setCondition(workload, condition{"Admitted", "False", "NoReservation", "The workload has no reservation"}, kueue.store.time())
	})
	return nil
}

// release lets a workload run, and writes what its flavor asks for into its pod templates.
func (kueue kueue) release(one, workload *object) {
	flavors := kueue.flavorsFor(workload)
	kueue.store.write(keyOf(one), func(one *object) {
		for _, pointer := range kueuejudge.Templates(one.Object) {
			found, _ := judge.At(one.Object, pointer)
			template, _ := found.(map[string]any)
			flavor := flavorFor(template, flavors)
			for name, value := range mapIn(flavor, "spec", "nodeLabels") {
				set(&object{Object: template}, value, "spec", "nodeSelector", name)
			}
			if more := listIn(flavor, "spec", "tolerations"); len(more) > 0 {
				merged := append(append([]any{}, listIn(template, "spec", "tolerations")...), more...)
				set(&object{Object: template}, merged, "spec", "tolerations")
			}
		}
		set(one, false, carrierOf(one).suspend...)
	})
}

// suspend puts a workload back as it was written, and into its queue.
func (kueue kueue) suspend(one *object, why string) {
	workload := kueue.workloadOf(one)
	kueue.store.write(keyOf(one), func(one *object) {
		for index, pointer := range kueuejudge.Templates(one.Object) {
			found, _ := judge.At(one.Object, pointer)
			template, _ := found.(map[string]any)
			if workload != nil {
				restore(template, mapsIn(workload.Object, "spec", "podSets"), index)
			}
		}
		set(one, true, carrierOf(one).suspend...)
	})
	kueue.store.log.add("suspended", one, kueueName, why)
}

// restore takes back what a flavor had written.
func restore(template map[string]any, podSets []map[string]any, index int) {
	spec := mapIn(template, "spec")
	if index >= len(podSets) || spec == nil {
		return
	}
	before := mapIn(podSets[index], "template", "spec")
	for _, name := range []string{"nodeSelector", "tolerations"} {
		if value, written := before[name]; written {
			spec[name] = value
		} else {
			delete(spec, name)
		}
	}
}

// differs says whether a workload that runs is not the one that was admitted: its counts, or its containers.
func (kueue kueue) differs(one, workload *object) bool {
	now, err := kueue.construct(one)
	if err != nil {
		return false
	}
	before, after := mapsIn(workload.Object, "spec", "podSets"), mapsIn(now.Object, "spec", "podSets")
	if len(before) != len(after) {
		return true
	}
	for index := range before {
		if !same(compared(before[index]), compared(after[index])) {
			return true
		}
	}
	return false
}

func compared(podSet map[string]any) *object {
	spec := mapIn(podSet, "template", "spec")
	return &object{Object: map[string]any{
		"count": podSet["count"], "containers": spec["containers"], "initContainers": spec["initContainers"],
	}}
}

func (kueue kueue) finish(workload *object) {
	if workload == nil {
		return
	}
	kueue.store.write(keyOf(workload), func(workload *object) {
		setCondition(workload, condition{"Finished", "True", "JobFinished", "Job finished successfully"}, kueue.store.time())
		dropFinalizer(workload, kueueFinalizer)
	})
}
