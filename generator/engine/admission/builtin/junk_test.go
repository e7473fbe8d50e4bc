package builtin

import (
	"encoding/json"
	"fmt"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

// junk is what people and templates leave in a manifest.
var junk = []any{
	nil, "", "x", "5Gi", true, json.Number("-1"), json.Number("99999999999"),
	[]any{}, []any{nil}, map[string]any{}, map[string]any{"a": nil},
}

// eachPlace calls with every place of an object, and how to put something there.
func eachPlace(place any, pointer string, visit func(pointer string, put func(any))) {
	switch place := place.(type) {
	case map[string]any:
		for key, value := range place {
			visit(pointer+"/"+key, func(other any) { place[key] = other })
			place[key] = value
			eachPlace(value, pointer+"/"+key, visit)
		}
	case []any:
		for index, value := range place {
			below := fmt.Sprintf("%s/%d", pointer, index)
			visit(below, func(other any) { place[index] = other })
			place[index] = value
			eachPlace(value, below, visit)
		}
	}
}

func TestJunkAnywhereIsJudgedWithoutPanic(t *testing.T) {
	for name, text := range map[string]string{
		"Job": aJob, "CronJob": aCronJob, "Pod": aPod, "StatefulSet": aStatefulSet, "Deployment": aDeployment,
		"Service": aService, "PersistentVolumeClaim": aClaim, "NetworkPolicy": others["NetworkPolicy"],
	} {
		sound, object := decoded(t, text), read(t, text)
		eachPlace(object, "", func(pointer string, put func(any)) {
			for _, other := range junk {
				put(other)
				judgeJunk(t, name+pointer, object, sound, other)
			}
		})
	}
}

func judgeJunk(t *testing.T, where string, object, sound judge.Object, written any) {
	t.Helper()
	defer func() {
		if reason := recover(); reason != nil {
			t.Errorf("%v at %s: %v", written, where, reason)
		}
	}()
	plain, refusals := Decode(object)
	if len(refusals) > 0 {
		return
	}
	review := judge.Review{Object: plain, Around: judge.NewSurroundings("1.36", nil)}
	if refusals = Validate(review); len(refusals) > 0 {
		return
	}
	if _, err := Children(review); err != nil {
		t.Errorf("%v at %s is accepted, but: %v", written, where, err)
	}
	if judge.KindOf(plain) == judge.KindOf(sound) {
		review.Before = sound
		Validate(review)
	}
}
