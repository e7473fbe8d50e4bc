// Command trainshed-jobset answers for JobSet, whose code cannot live in one program with Kueue's.
// It speaks the engine's protocol on standard input and output, and ends when its input does.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"trainshed.dev/engine/admission/jobset"
	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/handshake"
	"trainshed.dev/engine/wire"
)

var verbs = wire.Verbs{
	"hello":     handshake.Hello,
	jobset.Verb: review,
}

// As in the engine: few collections, and a soft limit.
const (
	garbagePercent = 400
	memoryBytes    = 256 << 20
)

func main() {
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(memoryBytes)
	wire.GoOffline()
	if err := wire.Serve(os.Stdin, os.Stdout, verbs); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", jobset.Program, err)
		os.Exit(1)
	}
}

// review does with a JobSet what its operator does: mutate, validate, make.
func review(body json.RawMessage) (any, error) {
	var question jobset.Question
	if err := utiljson.Unmarshal(body, &question); err != nil {
		return nil, wire.Refuse("the body cannot be read: %v", err)
	}
	asked := judge.Review{Object: question.Object, Before: question.Before, Every: question.Every}
	if err := mutate(asked); err != nil {
		return nil, err
	}
	answer := jobset.Answer{Mutated: asked.Object, Children: []jobset.Child{}}
	refused, err := refusals(asked)
	if answer.Refusals = refused; err != nil || len(refused) > 0 {
		return answer, err
	}
	made, err := children(asked)
	if err != nil {
		answer.Unjudged = err.Error()
	}
	for _, child := range made {
		answer.Children = append(answer.Children, jobset.Send(child))
	}
	return answer, nil
}
