package customresource

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"trainshed.dev/engine/admission/judge"
)

// mostTries bounds how often a search asks the rules: a fault is then placed less exactly, but no later.
const mostTries = 200

// search leaves out what stands below the place of a fault, part by part, and asks the rules again.
type search struct {
	asked question
	place []string
	fault *field.Error
	tries int
}

// below points at the deepest part of a value without which the rules would not find the fault; or, where they need
// every part, at the first that their words name.
func (search *search) below(value any, inside []string) (pointer string, found int) {
	for _, step := range stepsOf(value, search.fault.Detail) {
		if search.tries--; search.tries < 0 {
			return "", same
		}
		deeper := append(slices.Clip(inside), step)
		answer := search.ask(deeper)
		if answer == same {
			continue
		}
		part := entries(value)[step]
		below, further := search.below(part, deeper)
		switch {
		case answer == silence || further == silence:
			return "/" + judge.Escape(step) + below, silence
		case found == same && (further == needed || search.names(step, part)):
			pointer, found = "/"+judge.Escape(step)+below, needed
		}
	}
	return pointer, found
}

// names says whether the rules speak of a part, by its key or by its text.
func (search *search) names(step string, part any) bool {
	words := strings.ToLower(search.fault.Detail)
	text, _ := part.(string)
	return strings.Contains(words, strings.ToLower(step)) || text != "" && strings.Contains(words, strings.ToLower(text))
}

// What the rules answer about an object that lacks a part: the same, nothing, or that they need the part.
const (
	same = iota
	silence
	needed
)

func (search *search) ask(part []string) int {
	changed := without(search.asked.object, append(slices.Clip(search.place), part...)).(judge.Object)
	answer := silence
	for _, fault := range search.asked.ruleFaults(changed) {
		switch {
		case fault.Field != search.fault.Field:
		case fault.Detail == search.fault.Detail:
			return same
		case strings.Contains(fault.Detail, " evaluating rule: "):
			answer = needed
		}
	}
	return answer
}

// without is a copy of a place that lacks what stands at the steps.
func without(place any, steps []string) any {
	switch place := place.(type) {
	case map[string]any:
		copied := maps.Clone(place)
		if len(steps) == 1 {
			delete(copied, steps[0])
		} else {
			copied[steps[0]] = without(place[steps[0]], steps[1:])
		}
		return copied
	case []any:
		index, err := strconv.Atoi(steps[0])
		if err != nil || index >= len(place) {
			return place
		}
		if len(steps) == 1 {
			return slices.Concat(place[:index], place[index+1:])
		}
		copied := slices.Clone(place)
		copied[index] = without(place[index], steps[1:])
		return copied
	}
	return place
}

// stepsOf are the fields or indices of a value, first those that the words name, as they name them.
func stepsOf(value any, words string) []string {
	words = strings.ToLower(words)
	rank := func(step string) int {
		if at := strings.Index(words, strings.ToLower(step)); at >= 0 {
			return at
		}
		return len(words)
	}
	return slices.SortedFunc(maps.Keys(entries(value)), func(one, other string) int {
		return cmp.Or(cmp.Compare(rank(one), rank(other)), cmp.Compare(len(one), len(other)), cmp.Compare(one, other))
	})
}

// entries are the fields of a map or the items of a list, by their steps in a pointer.
func entries(value any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		return value
	case []any:
		items := make(map[string]any, len(value))
		for index, item := range value {
			items[strconv.Itoa(index)] = item
		}
		return items
	}
	return nil
}
