package customresource

import (
	"reflect"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"trainshed.dev/engine/admission/judge"
)

// wordOf narrows the place of a rule, often a whole spec, to the word that the rule is about: what was changed; or the
// field without which the rule would be content; or else the first that its message names.
func (asked question) wordOf(place string, fault *field.Error) string {
	if fault.Field == (*field.Path)(nil).String() {
		place = ""
	}
	value, _ := judge.At(asked.object, place)
	if asked.before != nil {
		was, _ := judge.At(asked.before, place)
		return place + difference(value, was)
	}
	search := search{asked: asked, place: judge.Steps(place), fault: fault, tries: mostTries}
	if inside, found := search.below(value, nil); found != same {
		return place + inside
	}
	return place + firstNamed(fault.Detail, value)
}

// difference points, from a value on, at the one place inside it that is not as it was.
func difference(is, was any) string {
	steps, before := entries(is), entries(was)
	if len(before) > len(steps) {
		return ""
	}
	changed := ""
	for step, value := range steps {
		if !reflect.DeepEqual(value, before[step]) {
			if changed != "" {
				return ""
			}
			changed = step
		}
	}
	if changed == "" {
		return ""
	}
	return "/" + judge.Escape(changed) + difference(steps[changed], before[changed])
}

var words = regexp.MustCompile(`\w+`)

// firstNamed points at the field of a value that a message names first, and on along its dots: "metadata.name".
func firstNamed(message string, value any) (pointer string) {
	for _, word := range words.FindAllString(message, -1) {
		next, isField := entries(value)[word]
		switch {
		case isField:
			pointer, value = pointer+"/"+judge.Escape(word), next
		case pointer != "":
			return pointer
		}
	}
	return pointer
}
