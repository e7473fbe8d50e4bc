package kueue

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

// parse reads YAML as the engine would get it.
func parse(t testing.TB, text string) judge.Object {
	t.Helper()
	var object judge.Object
	inJSON, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = utiljson.Unmarshal(inJSON, &object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// edit is a change of an object at a JSON pointer; nil takes away.
type edit struct {
	pointer string
	value   any
}

func edited(object judge.Object, edits ...edit) judge.Object {
	changed := plain(object).(judge.Object)
	for _, edit := range edits {
		var place any = changed
		steps := judge.Steps(edit.pointer)
		for _, step := range steps[:len(steps)-1] {
			switch holder := place.(type) {
			case map[string]any:
				if holder[step] == nil {
					holder[step] = map[string]any{}
				}
				place = holder[step]
			case []any:
				index, _ := strconv.Atoi(step)
				place = holder[index]
			}
		}
		key := steps[len(steps)-1]
		switch holder := place.(type) {
		case map[string]any:
			holder[key] = edit.value
			if edit.value == nil {
				delete(holder, key)
			}
		case []any:
			index, _ := strconv.Atoi(key)
			holder[index] = edit.value
		}
	}
	return changed
}

// committed are all objects of a cluster in the folder of generated manifests, but for those of Argo CD.
func committed(t testing.TB, cluster string) []judge.Object {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../../../rendered", cluster, "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests of %s: %v", cluster, err)
	}
	objects := make([]judge.Object, len(files))
	for index, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects[index] = parse(t, string(text))
	}
	return objects
}

var clusters = []string{"aws-prod", "gke-research", "kind", "onprem-hpc"}

func around(objects ...judge.Object) *judge.Surroundings {
	return judge.NewSurroundings("1.34", objects)
}
