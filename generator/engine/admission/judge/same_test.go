package judge

import (
	"encoding/json"
	"testing"
)

func TestWhatIsTheSameIsSoAtEveryDepth(t *testing.T) {
	read := func(text string) (value any) {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	const object = `{"a": [{"b": "text", "c": 1.5, "d": null, "e": true}], "f": {}}`
	if !Same(read(object), read(object)) {
		t.Error("an object is not the same as itself")
	}
	for _, other := range []string{
		`{"a": [{"b": "text", "c": 1.5, "d": null, "e": true}]}`,
		`{"a": [{"b": "text", "c": 1.5, "d": null, "e": true}], "g": {}}`,
		`{"a": [{"b": "texts", "c": 1.5, "d": null, "e": true}], "f": {}}`,
		`{"a": [{"b": "text", "c": 2.5, "d": null, "e": true}], "f": {}}`,
		`{"a": [{"b": "text", "c": 1.5, "d": 0, "e": true}], "f": {}}`,
		`{"a": [{"b": "text", "c": 1.5, "d": null, "e": "true"}], "f": {}}`,
		`{"a": [], "f": {}}`,
		`{"a": {}, "f": {}}`,
		`{"a": [{"b": "text", "c": 1.5, "d": null, "e": true}], "f": []}`,
	} {
		if Same(read(object), read(other)) || Same(read(other), read(object)) {
			t.Errorf("%s is the same", other)
		}
	}
}
