// Package judge holds the nouns of admission: what is asked about an object, who refuses it, and what is made from it.
package judge

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Object is one API object as plain JSON data.
type Object = map[string]any

// Review asks about one object: as it is to be, and as it was on the base branch, nil where it is created.
// A judge may change neither, but for an Operator's Mutate and Start, which change Object.
type Review struct {
	Object Object
	Before Object
	Around *Surroundings
	// Every asks for each child by itself; otherwise the last of those that are alike stands for all of them.
	Every bool
}

// Refusal is one judge's no, in its own words, at a JSON pointer into the reviewed object ("" for the whole).
type Refusal struct {
	Judge   string `json:"judge"`
	Pointer string `json:"pointer"`
	Message string `json:"message"`
	// Child says which of the things made from the object is refused, such as "Pod of Worker"; empty for itself.
	Child string `json:"child,omitempty"`
	// Change is true where only the change from Before is refused, not the object as it is to be.
	Change bool `json:"change,omitempty"`
}

// Child is something that a controller makes from an object, whole: apiVersion, kind, metadata, spec.
type Child struct {
	// Role is the part of the workload, in its own words: "Worker", "head", "launcher"; empty where there is one.
	Role   string
	Count  int
	Object Object
	// Index is the child's number in its role, where every child was asked for.
	Index int
	// Admitted is what the API server would keep of Object: with defaults, and as webhooks changed it. It is nil until
	// somebody asked, and where Object cannot be decoded.
	Admitted Object
	// Places says where parts of the child come from; the longest prefix wins. What is in none of them is the
	// operator's own, and is blamed on Fallback.
	Places   []Place
	Fallback string
}

// Place pairs JSON pointers: what stands below Child in the child was written below Parent in the parent.
type Place struct {
	Child  string
	Parent string
}

// Operator is the admission code of one operator. Every function may be nil.
type Operator struct {
	// Name is the operator's as in our catalogue, and the judge's: "kueue", "training-operator".
	Name string
	// Covers says whether the operator looks at objects of a kind at all.
	Covers func(kind schema.GroupVersionKind) bool
	// Mutate changes Review.Object as the mutating webhooks would.
	Mutate func(review Review) error
	// Refusals are those of the validating webhooks, on creation or update, and of the validation that
	// controllers do before they make anything.
	Refusals func(review Review) ([]Refusal, error)
	// Start changes Review.Object, which is admitted, as the operator does once it lets it run.
	Start func(review Review) error
	// Children are made by the controller's own code.
	Children func(review Review) ([]Child, error)
}

// KindOf is the kind that an object says it is; empty parts where it does not.
func KindOf(object Object) schema.GroupVersionKind {
	return (&unstructured.Unstructured{Object: object}).GroupVersionKind()
}

// FieldRefusals turns the API machinery's errors into refusals of one judge.
func FieldRefusals(name string, object Object, errors field.ErrorList) []Refusal {
	refusals := make([]Refusal, len(errors))
	for index, err := range errors {
		pointer := PointerOf(object, err.Field, err.ErrorBody())
		refusals[index] = Refusal{Judge: name, Pointer: pointer, Message: err.Error()}
	}
	return refusals
}
