package judge

import (
	"strings"
	"testing"
)

// complain makes a judge of rules: the words of the first that an object breaks.
func complain(rules ...func(Object) string) func(Object) string {
	return func(object Object) string {
		for _, rule := range rules {
			if words := rule(object); words != "" {
				return words
			}
		}
		return ""
	}
}

func has(pointer, words string) func(Object) string {
	return func(object Object) string {
		if _, isThere := At(object, pointer); isThere {
			return words
		}
		return ""
	}
}

func hasBoth(one, other, words string) func(Object) string {
	return func(object Object) string {
		if has(one, words)(object) == "" {
			return ""
		}
		return has(other, words)(object)
	}
}

func lacks(pointer, words string) func(Object) string {
	return func(object Object) string {
		if _, isThere := At(object, pointer); isThere {
			return ""
		}
		return words
	}
}

func TestTheFieldIsBlamedWithoutWhichTheJudgeIsContent(t *testing.T) {
	ring := Object{
		"apiVersion": "v1", "kind": "Ring", "metadata": map[string]any{"name": "ring"},
		"spec": map[string]any{
			"alpha": map[string]any{"beta": "red", "delta": "blue"},
			"gamma": map[string]any{"delta": "green"},
			"groups": []any{
				map[string]any{"name": "first", "size": int64(1)},
				map[string]any{"name": "second", "size": int64(2), "shape": "round"},
			},
		},
	}
	cases := map[string]struct {
		judge func(Object) string
		want  string
	}{
		"the deepest": {complain(has("/spec/alpha/beta", "no")), "/spec/alpha/beta"},
		"of two in conflict, the one named first": {
			complain(hasBoth("/spec/alpha/beta", "/spec/gamma/delta", "delta must not be set beside beta")),
			"/spec/gamma/delta"},
		"though the field above it must be there": {
			complain(lacks("/spec/alpha", "alpha is required"), has("/spec/alpha/beta", "no")), "/spec/alpha/beta"},
		"the first of two faults, by its name": {
			complain(has("/spec/alpha/beta", "beta is wrong"), has("/spec/gamma", "gamma is wrong")), "/spec/alpha/beta"},
		"an item, by its name": {
			complain(has("/spec/groups/1/shape", "group second has a shape")), "/spec/groups/1/shape"},
		"of what is missing, the place that the words lead to": {
			complain(lacks("/spec/gamma/epsilon", "spec.gamma.epsilon is required")), "/spec/gamma"},
		"of what is missing in a list, the item that is named": {
			complain(lacks("/spec/groups/1/weight", "group second must have a weight")), "/spec/groups/1"},
		"of what is missing anywhere, the spec": {complain(lacks("/spec/zeta", "zeta is required")), "/spec"},
	}
	for situation, tested := range cases {
		t.Run(situation, func(t *testing.T) {
			if got := Culprit(ring, tested.judge); got != tested.want {
				t.Errorf("got %s, want %s", got, tested.want)
			}
		})
	}
}

func TestANameIsNotBlamedForStandingInTheWords(t *testing.T) {
	group := Object{"spec": map[string]any{"groups": []any{map[string]any{"name": "only", "size": int64(1)}}}}
	judge := func(object Object) string {
		name, isThere := At(object, "/spec/groups/0")
		if !isThere {
			return ""
		}
		text, _ := name.(map[string]any)["name"].(string)
		return "group " + text + " must have a weight"
	}
	if got := Culprit(group, judge); got != "/spec/groups/0" {
		t.Errorf("got %s", got)
	}
}

func TestBlameAsksWhetherTheWordsAreStillSaid(t *testing.T) {
	object := Object{"spec": map[string]any{"alpha": "red", "beta": "blue"}}
	answers := complain(has("/spec/beta", "beta is wrong; and more"))
	says := func(changed Object) bool { return strings.Contains(answers(changed), "beta is wrong") }
	if got := Blame(object, "beta is wrong", says); got != "/spec/beta" {
		t.Errorf("got %s", got)
	}
}
