package judge

import (
	"encoding/json"
	"testing"
)

func object(t *testing.T, text string) Object {
	t.Helper()
	var decoded Object
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func TestAFieldPathBecomesAPointer(t *testing.T) {
	pod := object(t, `{"metadata": {"labels": {"a.b/c": "d"}},
		"spec": {"containers": [{"name": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}`)
	cases := map[string]string{
		"":                         "",
		"spec.containers[0].name":  "/spec/containers/0/name",
		"metadata.labels[a.b/c]":   "/metadata/labels/a.b~1c",
		"metadata.labels.a.b/c":    "/metadata/labels/a.b~1c",
		"spec.containers[0].image": "/spec/containers/0/image",
		"spec.containers[7].name":  "/spec/containers",
		"spec.template.spec":       "/spec",
		"spec.containers[0].resources.limits[nvidia.com/gpu]": "/spec/containers/0/resources/limits/nvidia.com~1gpu",
	}
	for path, want := range cases {
		if got := PointerTo(pod, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestAGrandchildIsTracedToTheFirstParent(t *testing.T) {
	pod := Child{
		Places:   []Place{{"/spec", "/spec/template/spec"}, {"/spec/containers/1", "/spec/template/spec"}},
		Fallback: "/spec/template",
		Count:    2,
		Role:     "",
	}
	job := Child{
		Places: []Place{
			{"/spec", "/spec/replicatedJobs/0/template/spec"},
			{"/spec/template/spec/containers/0", "/spec/trainer"},
		},
		Fallback: "/spec/runtimeRef",
		Count:    3,
		Role:     "node",
	}
	made := pod.Within(job)
	cases := map[string]string{
		"/spec/volumes/0":          "/spec/replicatedJobs/0/template/spec/template/spec/volumes/0",
		"/spec/containers/0/image": "/spec/trainer/image",
		"/spec/containers/1/image": "/spec/replicatedJobs/0/template/spec/template/spec/image",
		"/metadata/name":           "/spec/replicatedJobs/0/template/spec/template",
	}
	for pointer, want := range cases {
		if got := made.Trace(pointer); got != want {
			t.Errorf("%s: got %q, want %q", pointer, got, want)
		}
	}
	if made.Count != 6 || made.Role != "node" {
		t.Errorf("got %d of %q", made.Count, made.Role)
	}
}
