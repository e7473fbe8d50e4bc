// Package kueue judges with Kueue's own code: its webhooks, for its own kinds and for every workload that it queues,
// and, in Admit, its scheduler.
package kueue

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"

	"trainshed.dev/engine/admission/judge"
)

const name = "kueue"

// queueLabel is what surely makes an object one of a cluster with Kueue.
const queueLabel = "/metadata/labels/kueue.x-k8s.io~1queue-name"

// Operator is Kueue's admission code.
var Operator = judge.Operator{Name: name, Covers: covers, Mutate: mutate, Refusals: refusals, Start: admit}

func covers(kind schema.GroupVersionKind) bool {
	_, covered := webhookKinds()[served(kind)]
	return covered
}

// mutate does what the mutating webhook does on creation. A run that is merged already keeps what it got then, but it
// has started since.
func mutate(review judge.Review) error {
	manager, webhook, err := webhookFor(review)
	if webhook == nil || err != nil || isMade(review.Object) {
		return err
	}
	object, err := read(review.Object)
	if err != nil {
		return err
	}
	written, err := write(object)
	if err != nil {
		return err
	}
	err = webhook.mutate(manager.context, object)
	if err != nil && !errors.Is(err, jobframework.ErrWorkloadOwnerNotFound) {
		return err
	}
	mutated, err := write(object)
	if err != nil {
		return err
	}
	carry(review.Object, written, mutated)
	if _, asks := judge.At(review.Object, queueLabel); asks && webhook.queued {
		empty(review.Object["spec"], mutated["spec"])
	}
	if review.Before != nil {
		return admit(review)
	}
	return nil
}

// admit lets a workload run that waits in a queue.
func admit(review judge.Review) error {
	_, webhook, err := webhookFor(review)
	if webhook != nil && webhook.queued && !isMade(review.Object) {
		start(review.Object)
	}
	return err
}

// isMade says whether a workload's controller made the object, so that it is the workload that waits.
func isMade(object judge.Object) bool {
	owner := metav1.GetControllerOf(&unstructured.Unstructured{Object: object})
	return owner != nil && covers(schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind))
}

// isRayJobs says whether a RayCluster is a RayJob's own: the RayJob is what was judged, and what waits, and only for it do
// we know which gates Kueue puts into the templates.
func isRayJobs(object judge.Object) bool {
	return object["kind"] == "RayCluster" && isMade(object)
}

func refusals(review judge.Review) ([]judge.Refusal, error) {
	manager, webhook, err := webhookFor(review)
	if webhook == nil || err != nil || isRayJobs(review.Object) {
		return nil, err
	}
	if lacksRuntime(review.Object, manager.cluster.around) {
		return refusalsWithoutRuntime(review, manager)
	}
	refusal, err := webhook.refusal(manager.context, review)
	if err != nil || refusal == nil {
		return nil, err
	}
	if causes := fieldErrors(refusal); causes != nil {
		return placed(review.Object, causes), nil
	}
	says := func(changed judge.Object) bool {
		again, err := webhook.refusal(manager.context, judge.Review{Object: changed, Before: review.Before})
		return err == nil && again != nil && again.Error() == refusal.Error()
	}
	pointer := judge.Blame(review.Object, refusal.Error(), says)
	return []judge.Refusal{{Judge: name, Pointer: pointer, Message: refusal.Error()}}, nil
}

func webhookFor(review judge.Review) (*manager, *webhook, error) {
	manager, err := managerOf(review.Around)
	if err != nil {
		return nil, nil, err
	}
	return manager, manager.webhooks[served(judge.KindOf(review.Object))], nil
}

// fieldErrors are the errors on fields that an error is made of, nil if it is made of anything else.
func fieldErrors(err error) field.ErrorList {
	var one *field.Error
	var several utilerrors.Aggregate
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &several):
		var all field.ErrorList
		for _, inner := range several.Errors() {
			found := fieldErrors(inner)
			if found == nil {
				return nil
			}
			all = append(all, found...)
		}
		return all
	case errors.As(err, &status) && status.Status().Details != nil:
		var all field.ErrorList
		for _, cause := range status.Status().Details.Causes {
			all = append(all, field.Invalid(field.NewPath(cause.Field), field.OmitValueType{}, cause.Message))
		}
		return all
	case errors.As(err, &one):
		return field.ErrorList{one}
	}
	return nil
}
