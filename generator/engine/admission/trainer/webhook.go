package trainer

import (
	"cmp"
	"context"
	"errors"
	"strings"

	trainerapi "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"trainshed.dev/engine/admission/judge"
)

// runtimeRefusals are those of the webhooks of TrainingRuntime and ClusterTrainingRuntime.
func runtimeRefusals(review judge.Review) ([]judge.Refusal, error) {
	if judge.KindOf(review.Object).Kind == trainerapi.TrainingRuntimeKind {
		return validated[trainerapi.TrainingRuntime](review, &webhooks.TrainingRuntimeValidator{})
	}
	return validated[trainerapi.ClusterTrainingRuntime](review, &webhooks.ClusterTrainingRuntimeValidator{})
}

// validator is an admission.Validator of things of one kind.
type validator[Kind any] interface {
	ValidateCreate(ctx context.Context, object *Kind) (admission.Warnings, error)
	ValidateUpdate(ctx context.Context, before, object *Kind) (admission.Warnings, error)
}

func validated[Kind any](review judge.Review, validator validator[Kind]) ([]judge.Refusal, error) {
	object, before := new(Kind), new(Kind)
	if err := errors.Join(read(review.Object, object), read(review.Before, before)); err != nil {
		return nil, err
	}
	_, refused := validator.ValidateCreate(context.Background(), object)
	if review.Before != nil {
		_, refused = validator.ValidateUpdate(context.Background(), before, object)
	}
	var causes field.ErrorList
	if aggregate, isMany := refused.(utilerrors.Aggregate); isMany {
		for _, err := range aggregate.Errors() {
			var cause *field.Error
			if errors.As(err, &cause) {
				causes = append(causes, cause)
			}
		}
	}
	return judge.FieldRefusals(Name, review.Object, causes), nil
}

// trainJobRefusals are those of the webhook, and, if it has none, of the runtime from which nothing can be made.
func trainJobRefusals(review judge.Review) (refusals []judge.Refusal, err error) {
	err = with(review.Around, func(linked *linked) error {
		status, err := linked.hooks.Validate(review)
		causes := linked.heard
		switch {
		case err != nil:
			return err
		case status == nil:
			refusals = linked.failure(review.Object)
		case len(causes) == 0:
			refusals = []judge.Refusal{{Judge: Name, Pointer: unsupported(review.Object), Message: status.Message}}
		default:
			refusals = linked.placed(review, causes)
		}
		return nil
	})
	return refusals, err
}

// unsupported is what is wrong with a reference to a runtime of a kind that Trainer does not have.
func unsupported(object judge.Object) string {
	if group, _ := judge.At(object, "/spec/runtimeRef/apiGroup"); group != trainerapi.GroupVersion.Group {
		return "/spec/runtimeRef/apiGroup"
	}
	return "/spec/runtimeRef/kind"
}

// placed gives each error the deepest place that is to blame for it below the field that it names, which is often
// only the list in which something is wrong.
func (linked *linked) placed(review judge.Review, causes field.ErrorList) []judge.Refusal {
	refusals := judge.FieldRefusals(Name, review.Object, causes)
	for index, cause := range causes {
		pointer := refusals[index].Pointer
		switch {
		case strings.HasSuffix(cause.Detail, isMissing):
			refusals[index].Pointer = "/spec/runtimeRef/name"
		case strings.HasPrefix(pointer, "/spec/runtimePatches"), strings.HasPrefix(pointer, "/spec/trainer"):
			refusals[index].Pointer = cmp.Or(linked.blame(review, cause), pointer)
		}
	}
	return refusals
}

// isMissing ends the words about a runtime that is not there.
const isMissing = "must be created before the TrainJob is created"

// blame finds the word for which an error is given, in the part of the spec that the error names.
func (linked *linked) blame(review judge.Review, cause *field.Error) string {
	part := strings.Split(cause.Field, ".")[1]
	written, _ := judge.At(review.Object, "/spec/"+part)
	alone := judge.Object{"spec": map[string]any{part: written}}
	return judge.Culprit(alone, func(changed judge.Object) string {
		object := runtime.DeepCopyJSON(review.Object)
		spec := object["spec"].(map[string]any)
		delete(spec, part)
		if kept, has := judge.At(changed, "/spec/"+part); has {
			spec[part] = kept
		}
		linked.heard = nil
		_, _ = linked.hooks.Validate(judge.Review{Object: object, Before: review.Before})
		words := ""
		for _, said := range linked.heard {
			if said.Field == cause.Field && said.Detail == cause.Detail {
				return cause.Detail
			}
			words = said.Detail
		}
		return words
	})
}

// failure is why nothing can be made from a TrainJob that the webhook accepts.
func (linked *linked) failure(object judge.Object) []judge.Refusal {
	_, err := linked.make(object)
	if err == nil || errors.Is(err, errTooLarge) {
		return nil // children says the latter
	}
	pointer := judge.Culprit(object, func(changed judge.Object) string {
		if _, err := linked.make(changed); err != nil {
			return err.Error()
		}
		return ""
	})
	return []judge.Refusal{{Judge: Name, Pointer: cmp.Or(pointer, "/spec/runtimeRef"), Message: err.Error()}}
}
