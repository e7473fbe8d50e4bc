package main

import (
	"maps"
	"reflect"
	"strconv"

	"trainshed.dev/engine/admission/judge"
)

// changed is the deepest place below the pointer that holds all the differences between two objects.
func changed(object, before judge.Object, pointer string) string {
	for {
		now, _ := judge.At(object, pointer)
		was, existed := judge.At(before, pointer)
		steps := differences(now, was)
		if len(steps) != 1 || !existed {
			return pointer
		}
		pointer += "/" + judge.Escape(steps[0])
	}
}

// differences are the keys or indices at which two places differ; none where they have no parts to compare.
func differences(now, was any) []string {
	var steps []string
	switch now := now.(type) {
	case map[string]any:
		was, _ := was.(map[string]any)
		keys := map[string]any{}
		maps.Copy(keys, was)
		maps.Copy(keys, now)
		for key := range keys {
			if !reflect.DeepEqual(now[key], was[key]) {
				steps = append(steps, key)
			}
		}
	case []any:
		was, _ := was.([]any)
		for index := range now {
			if len(now) == len(was) && !reflect.DeepEqual(now[index], was[index]) {
				steps = append(steps, strconv.Itoa(index))
			}
		}
	}
	return steps
}
