package admission

import (
	"fmt"
	"slices"

	"trainshed.dev/engine/admission/judge"
)

// Verdict is what all judges say about one object, and the pods that will come of it.
type Verdict struct {
	Refusals []judge.Refusal `json:"refusals"`
	Unjudged []Unjudged      `json:"unjudged"`
	Pods     []Pod           `json:"pods"`
}

// Unjudged says why a judge could not be asked. It is never a pass.
type Unjudged struct {
	Judge   string `json:"judge"`
	Message string `json:"message"`
}

func (verdict *Verdict) refuse(refusals ...judge.Refusal) {
	verdict.Refusals = append(verdict.Refusals, refusals...)
}

// inherit takes over what is said of a child, at the places of its parent that it comes from.
func (verdict *Verdict) inherit(inner Verdict, parent judge.Object, child judge.Child) {
	for _, refusal := range inner.Refusals {
		refusal.Pointer = judge.Existing(parent, child.Trace(refusal.Pointer))
		refusal.Child = describe(child, refusal.Child)
		verdict.Refusals = append(verdict.Refusals, refusal)
	}
	verdict.missAll(inner)
}

func describe(child judge.Child, inner string) string {
	if inner != "" {
		return inner
	}
	kind := judge.KindOf(child.Object).Kind
	if child.Role == "" {
		return kind
	}
	return fmt.Sprintf("%s of %s", kind, child.Role)
}

// guard asks a judge; one that fails or panics has not judged.
func (verdict *Verdict) guard(name string, ask func() error) {
	defer func() {
		if reason := recover(); reason != nil {
			verdict.miss(name, fmt.Sprintf("it panicked: %v", reason))
		}
	}()
	if err := ask(); err != nil {
		verdict.miss(name, err.Error())
	}
}

func (verdict *Verdict) missAll(other Verdict) {
	for _, missed := range other.Unjudged {
		verdict.miss(missed.Judge, missed.Message)
	}
}

// miss notes once why a judge has not judged.
func (verdict *Verdict) miss(name, reason string) {
	if missed := (Unjudged{name, reason}); !slices.Contains(verdict.Unjudged, missed) {
		verdict.Unjudged = append(verdict.Unjudged, missed)
	}
}
