package admission

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"trainshed.dev/engine/admission/judge"
)

// moody is a webhook that cannot read an object with the key "bad", and panics on one without data.
var moody = judge.Operator{
	Name:   "moody",
	Covers: func(schema.GroupVersionKind) bool { return true },
	Mutate: func(review judge.Review) error {
		data := review.Object["data"].(map[string]any)
		if _, has := data["bad"]; has {
			return errors.New("cannot read it")
		}
		return nil
	},
}

func settings(data any) judge.Object {
	return judge.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "a", "namespace": "b"}, "data": data,
	}
}

func TestAWebhookThatCannotReadAnObjectRefusesItThoughItPanicsOnParts(t *testing.T) {
	chain := &chain{around: judge.NewSurroundings("", nil), operators: []judge.Operator{moody}}
	verdict := chain.judge(settings(map[string]any{"bad": "x", "good": "y"}), nil)
	if len(verdict.Refusals) != 1 || verdict.Refusals[0].Judge != "moody" {
		t.Fatalf("got %+v", verdict)
	}
}

func TestAWebhookThatPanicsHasNotJudged(t *testing.T) {
	chain := &chain{around: judge.NewSurroundings("", nil), operators: []judge.Operator{moody}}
	object := settings(nil)
	delete(object, "data")
	verdict := chain.judge(object, nil)
	if len(verdict.Refusals) != 0 || len(verdict.Unjudged) != 1 || verdict.Unjudged[0].Judge != "moody" {
		t.Errorf("got %+v", verdict)
	}
}
