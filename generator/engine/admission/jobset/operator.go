// Package jobset asks JobSet's own code, which lives in a program of its own: JobSet's packages and Kueue's register
// the same feature gate and panic in one program.
package jobset

import (
	"encoding/json"
	"errors"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission/judge"
)

// Name is the operator's and the judge's.
const Name = "jobset"

// Operator is JobSet.
var Operator = operator(&client{find: beside})

func operator(client *client) judge.Operator {
	return judge.Operator{
		Name:     Name,
		Covers:   covers,
		Mutate:   client.mutate,
		Refusals: client.refusals,
		Children: client.children,
	}
}

func covers(kind schema.GroupVersionKind) bool {
	return kind == schema.GroupVersionKind{Group: "jobset.x-k8s.io", Version: "v1alpha2", Kind: "JobSet"}
}

// client asks the program, which it starts at the first question. A program that is missing or has died stays so.
type client struct {
	find    func() (string, error)
	turn    sync.Mutex
	program *process
	broken  error
	// last is the answer to the question about lastObject, which is what all parts of one review ask.
	last     Answer
	lastText string
}

func (client *client) mutate(review judge.Review) error {
	answer, err := client.ask(review)
	if err == nil {
		clear(review.Object)
		maps.Copy(review.Object, runtime.DeepCopyJSON(answer.Mutated))
	}
	return err
}

func (client *client) refusals(review judge.Review) ([]judge.Refusal, error) {
	answer, err := client.ask(review)
	return answer.Refusals, err
}

func (client *client) children(review judge.Review) ([]judge.Child, error) {
	answer, err := client.ask(review)
	if err == nil && answer.Unjudged != "" {
		err = errors.New(answer.Unjudged)
	}
	children := make([]judge.Child, len(answer.Children))
	for index, child := range answer.Children {
		children[index] = child.received()
	}
	return children, err
}

func (client *client) ask(review judge.Review) (Answer, error) {
	client.turn.Lock()
	defer client.turn.Unlock()
	question := Question{review.Object, review.Before, review.Every}
	text, err := json.Marshal(question)
	if err != nil {
		return Answer{}, err
	}
	if string(text) != client.lastText {
		client.lastText = ""
		client.last = Answer{}
		if err := client.say(question); err != nil {
			return Answer{}, err
		}
	}
	return client.last, nil
}

// say asks the program. What it says of an object it also says of the object that it mutated.
func (client *client) say(question Question) error {
	if err := client.running(); err != nil {
		return err
	}
	if err := client.program.ask(Verb, question, &client.last); err != nil {
		if errors.Is(err, errDead) {
			client.broken = err
		}
		return err
	}
	text, err := json.Marshal(Question{client.last.Mutated, question.Before, question.Every})
	client.lastText = string(text)
	return err
}

func (client *client) running() error {
	if client.program == nil && client.broken == nil {
		path, err := client.find()
		if err == nil {
			client.program, err = start(path)
		}
		client.broken = err
	}
	return client.broken
}
