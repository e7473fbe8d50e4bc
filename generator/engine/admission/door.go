package admission

import (
	"errors"
	"slices"

	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/admission/kueue"
)

// Setting says by which schemas and operators requests to one cluster are judged.
type Setting = setting

// Door is the chain as a living API server puts single requests through it: what was stored before is given as it is,
// with all that controllers have written since.
type Door struct{ creating, updating *chain }

// NewDoor is the door of a cluster that holds these objects.
func NewDoor(setting Setting, around []judge.Object) *Door {
	setting.Around = slices.Concat(setting.Around, around)
	creating := setting.chain()
	updating := *creating
	updating.operators = slices.DeleteFunc(slices.Clone(creating.operators), func(operator judge.Operator) bool {
		return operator.Name == kueue.Operator.Name // its mutating webhooks are called on CREATE only
	})
	return &Door{creating, &updating}
}

// Create gives a new object as it is stored, or everybody's reasons to refuse it. A judge that could not be asked is
// one of the reasons.
func (door *Door) Create(object judge.Object) (judge.Object, error) {
	verdict := Verdict{}
	review, refusals := door.creating.decode(&verdict, judge.Review{Object: object, Around: door.creating.around})
	if len(refusals) == 0 {
		review, refusals = door.creating.mutate(&verdict, review)
	}
	if len(refusals) == 0 {
		refusals = door.creating.refusals(&verdict, review)
	}
	return review.Object, verdict.reasons(refusals)
}

// Update gives an object that replaces a stored one as it is then stored, or everybody's reasons to refuse it.
func (door *Door) Update(object, before judge.Object) (judge.Object, error) {
	verdict := Verdict{}
	review, refusals := door.updating.decode(&verdict, judge.Review{Object: object, Around: door.updating.around})
	if len(refusals) == 0 {
		review, refusals = door.updating.mutate(&verdict, review)
	}
	if len(refusals) == 0 {
		review.Before = before
		refusals = door.creating.refusals(&verdict, review)
	}
	return review.Object, verdict.reasons(refusals)
}

// Children are what the operators' and the API server's controllers make of a stored object that may run: of each
// different thing one.
func (door *Door) Children(object judge.Object) ([]judge.Child, error) {
	verdict := Verdict{}
	children := door.creating.children(&verdict, judge.Review{Object: object, Around: door.creating.around})
	return children, verdict.reasons(nil)
}

func (verdict *Verdict) reasons(refusals []judge.Refusal) error {
	var reasons []error
	for _, refusal := range refusals {
		reasons = append(reasons, errors.New(refusal.Judge+" at "+refusal.Pointer+": "+refusal.Message))
	}
	for _, missed := range verdict.Unjudged {
		reasons = append(reasons, errors.New(missed.Judge+" could not be asked: "+missed.Message))
	}
	return errors.Join(reasons...)
}

// Around is what the judges look at beside an object.
func (door *Door) Around() *judge.Surroundings { return door.creating.around }
