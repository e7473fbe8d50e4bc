package jobset

import (
	"k8s.io/apimachinery/pkg/runtime"

	"trainshed.dev/engine/admission/judge"
)

// Verb is what the program trainshed-jobset answers besides hello.
const Verb = "jobset"

// Question is the body of a request: a JobSet as it is to be, and as it was, null where it is created.
type Question struct {
	Object judge.Object `json:"object"`
	Before judge.Object `json:"before"`
	// Every asks for each Job by itself.
	Every bool `json:"every"`
}

// Answer is all that JobSet's own code says about one JobSet.
type Answer struct {
	// Mutated is the object after the mutating webhook.
	Mutated  judge.Object    `json:"mutated"`
	Refusals []judge.Refusal `json:"refusals"`
	// Children are empty where there are refusals.
	Children []Child `json:"children"`
	// Unjudged says why there are no children although nothing is refused.
	Unjudged string `json:"unjudged"`
}

// Child is a judge.Child on the wire.
type Child struct {
	Role     string       `json:"role"`
	Count    int          `json:"count"`
	Index    int          `json:"index"`
	Object   judge.Object `json:"object"`
	Places   [][2]string  `json:"places"`
	Fallback string       `json:"fallback"`
}

// Send writes a child for the wire.
func Send(child judge.Child) Child {
	places := make([][2]string, len(child.Places))
	for index, place := range child.Places {
		places[index] = [2]string{place.Child, place.Parent}
	}
	return Child{child.Role, child.Count, child.Index, child.Object, places, child.Fallback}
}

// received is a child that the caller may change.
func (child Child) received() judge.Child {
	places := make([]judge.Place, len(child.Places))
	for index, place := range child.Places {
		places[index] = judge.Place{Child: place[0], Parent: place[1]}
	}
	return judge.Child{
		Role:     child.Role,
		Count:    child.Count,
		Index:    child.Index,
		Object:   runtime.DeepCopyJSON(child.Object),
		Places:   places,
		Fallback: child.Fallback,
	}
}
