package judge

import "testing"

func TestWordsTellWhatAPathLeavesOut(t *testing.T) {
	pod := object(t, `{
		"metadata": {
			"labels": {"team/": "vision", "stage": "a b", "one": "c d", "two": "c d"},
			"finalizers": ["x y"]
		},
		"spec": {
			"requests": {"cpu": "2", "memory": "2"},
			"mounts": [{"subPath": "up"}, {"subPath": "../up"}, {"spread": "Bidirectional"}],
			"downward": {"items": [{"path": "/labels"}, {"path": "name"}]},
			"context": {"privileged": true, "escalate": false}
		}
	}`)
	for _, told := range []struct{ path, words, want string }{
		{"metadata.labels", `Invalid value: "team/": name part must be non-empty`, "/metadata/labels/team~1"},
		{"metadata.labels", `Invalid value: "a b": a valid label must be an empty string`, "/metadata/labels/stage"},
		{"metadata.labels", `Invalid value: "c d": a valid label must be an empty string`, "/metadata/labels"},
		{"metadata.finalizers", `Invalid value: "x y": name part must consist of`, "/metadata/finalizers/0"},
		{"spec.requests", `Invalid value: "2": must be less than or equal to cpu limit`, "/spec/requests/cpu"},
		{"spec.requests", `Invalid value: "2": must be less`, "/spec/requests"},
		{"spec.requests.cpu", `Invalid value: "2": must be less`, "/spec/requests/cpu"},
		{"spec.mounts.subPath", `Invalid value: "../up": must not contain '..'`, "/spec/mounts/1/subPath"},
		{"spec.mounts.spread", "Forbidden: Bidirectional is for the privileged", "/spec/mounts/2/spread"},
		{"spec.mounts.subPath", `Required value: not "up"`, "/spec/mounts/subPath"},
		{"spec.downward.path", `Invalid value: "/labels": must be a relative path`, "/spec/downward/items/0/path"},
		{"spec.context", "cannot set `escalate` to false and `privileged` to true", "/spec/context/escalate"},
		{"spec.context", "`context` is wrong", "/spec/context"},
	} {
		if got := PointerOf(pod, told.path, told.words); got != told.want {
			t.Errorf("%s: %s: got %q, want %q", told.path, told.words, got, told.want)
		}
	}
}
