package customresource

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"trainshed.dev/engine/admission/judge"
)

// Validate judges an object that Decode gave, as its creation or, where there is a Before that Decode gave, as its
// update. What its operator would make of a Before of another version is unknown: then only the creation is judged.
func (kind *Kind) Validate(review judge.Review) []judge.Refusal {
	created := kind.created(review.Object)
	if review.Before == nil || judge.KindOf(review.Before) != kind.name {
		return created.refusals()
	}
	refusals := kind.updated(review.Object, review.Before).refusals()
	if len(refusals) == 0 {
		return refusals
	}
	anyway := created.refusals()
	for index, refusal := range refusals {
		if !slices.Contains(anyway, refusal) {
			refusals[index].Judge = "change"
		}
	}
	return refusals
}

// refusals are in order of pointer. As in the API server, rules are asked only where the shape is one they can bear.
func (asked question) refusals() []judge.Refusal {
	shape := asked.shapeFaults()
	refusals := judge.FieldRefusals("schema", asked.written, shape)
	if !slices.ContainsFunc(shape, blocksRules) {
		faults := asked.ruleFaults(asked.object)
		for index, refusal := range judge.FieldRefusals("rule", asked.written, faults) {
			refusal.Pointer = asked.wordOf(refusal.Pointer, faults[index])
			refusals = append(refusals, refusal)
		}
	}
	slices.SortFunc(refusals, func(one, other judge.Refusal) int {
		return cmp.Or(cmp.Compare(one.Pointer, other.Pointer), cmp.Compare(one.Message, other.Message))
	})
	return refusals
}

func blocksRules(fault *field.Error) bool {
	switch fault.Type {
	case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany,
		field.ErrorTypeTypeInvalid:
		return true
	}
	return false
}
