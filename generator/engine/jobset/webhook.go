package main

import (
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	v1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/webhooks"

	"trainshed.dev/engine/admission/emptycluster"
	"trainshed.dev/engine/admission/jobset"
	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/admission/webhook"
)

var scheme = runtime.NewScheme()

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha2.AddToScheme(scheme))
}

var hooks = sync.OnceValues(func() (webhook.Hooks, error) {
	return webhook.Registered(scheme, emptycluster.Holding(scheme), webhooks.Setup)
})

// mutate runs the defaulting webhook on the object, and on what was there before. The webhook runs on creation only:
// what an update leaves unsaid keeps the value that it was given then, which is the same default.
func mutate(review judge.Review) error {
	hooks, err := hooks()
	if err != nil {
		return err
	}
	for _, object := range []judge.Object{review.Object, review.Before} {
		if object == nil {
			continue
		}
		if err := hooks.Mutate(judge.Review{Object: object}); err != nil {
			return err
		}
	}
	return nil
}

// refusals are the validating webhook's.
func refusals(review judge.Review) ([]judge.Refusal, error) {
	causes, err := causes(review)
	refusals := make([]judge.Refusal, len(causes))
	for index, cause := range causes {
		refusals[index] = refusal(review, cause)
	}
	return refusals, err
}

// causes of a refusal; a status without any is one itself.
func causes(review judge.Review) ([]metav1.StatusCause, error) {
	hooks, err := hooks()
	if err != nil {
		return nil, err
	}
	status, err := hooks.Validate(review)
	if err != nil || status == nil {
		return nil, err
	}
	if status.Details == nil || len(status.Details.Causes) == 0 {
		return []metav1.StatusCause{{Field: noField, Message: status.Message}}, nil
	}
	return status.Details.Causes, nil
}

// The webhook wraps an error without a field as an internal error at this one.
const (
	noField = "<nil>"
	wrapped = "Internal error: "
)

func refusal(review judge.Review, cause metav1.StatusCause) judge.Refusal {
	if cause.Field == noField {
		words := strings.TrimPrefix(cause.Message, wrapped)
		return judge.Refusal{Judge: jobset.Name, Pointer: blame(review, cause), Message: words}
	}
	pointer := judge.PointerTo(review.Object, cause.Field)
	if review.Before != nil {
		pointer = changed(review.Object, review.Before, pointer)
	}
	return judge.Refusal{Judge: jobset.Name, Pointer: pointer, Message: cause.Field + ": " + cause.Message}
}

// blame finds the field that the words are about.
func blame(review judge.Review, cause metav1.StatusCause) string {
	return judge.Culprit(review.Object, func(object judge.Object) string {
		if err := mutate(judge.Review{Object: object}); err != nil {
			return err.Error()
		}
		said, err := causes(judge.Review{Object: object, Before: review.Before})
		switch {
		case err != nil:
			return err.Error()
		case len(said) == 0:
			return ""
		case slices.Contains(said, cause):
			return cause.Message
		}
		return said[0].Message
	})
}
