package builtin

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"trainshed.dev/engine/admission/judge"
)

func TestWhatCannotBeDecodedIsSaidAtItsWord(t *testing.T) {
	for name, broken := range map[string]struct{ text, edit, pointer, words string }{
		"an unknown field": {
			aJob, "parallelism: 2 => paralelism: 2", "/spec/paralelism", `unknown field "spec.paralelism"`,
		},
		"an unknown field in a list": {
			aJob, "image: torch => img: torch", "/spec/template/spec/containers/0/img",
			`unknown field "spec.template.spec.containers[0].img"`,
		},
		"a field in other letters": {
			aJob, "restartPolicy: Never => restartpolicy: Never", "/spec/template/spec/restartpolicy",
			`strict decoding error: unknown field "spec.template.spec.restartpolicy"`,
		},
		"an unknown field at the top": {
			aClaim, "status2: {}", "/status2", `unknown field "status2"`,
		},
		"a text where a number is wanted": {
			aJob, "completions: 2 => completions: two", "/spec/completions",
			"Job in version \"v1\" cannot be handled as a Job: json: cannot unmarshal string into Go struct field JobSpec.spec.completions of type int32",
		},
		"a number where a text is wanted": {
			aJob, "image: torch => image: 2", "/spec/template/spec/containers/0/image", "cannot unmarshal number",
		},
		"a number as the value of a variable": {
			aJob, "image: torch => env: [{name: A, value: a}, {name: B, value: 2}]",
			"/spec/template/spec/containers/0/env/1/value", "cannot unmarshal number",
		},
		"a number as a label": {
			aJob, "team: vision => team: 7", "/spec/template/metadata/labels/team", "cannot unmarshal number",
		},
		"a number in a config map": {
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: text, lr: 0.1}}", "", "/data/lr", "cannot unmarshal number",
		},
		"a quantity that is none": {
			aJob, "memory: 64Gi => memory: 64 GB", "/spec/template/spec/containers/0/resources/limits/memory",
			"quantities must match the regular expression",
		},
		"a map where a list is wanted": {
			aService, "[{name: torch, port: 29500}] => {name: torch, port: 29500}", "/spec/ports", "cannot unmarshal object",
		},
		"a fraction where a whole number is wanted": {
			aJob, "parallelism: 2 => parallelism: 2.5", "/spec/parallelism", "cannot unmarshal number 2.5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, refusals := Decode(read(t, edited(t, broken.text, broken.edit)))
			expect(t, refusals, "decoding", broken.pointer, broken.words)
		})
	}
}

func TestVersionsThatAreNotServedAreRefused(t *testing.T) {
	for name, broken := range map[string]struct{ apiVersion, kind, pointer string }{
		"a beta that is gone":               {"batch/v1beta1", "CronJob", "/apiVersion"},
		"a beta that only the scheme knows": {"networking.k8s.io/v1beta1", "IPAddress", "/apiVersion"},
		"a version that never was":          {"batch/v2", "Job", "/apiVersion"},
		"a group that is gone":              {"extensions/v1beta1", "Ingress", "/apiVersion"},
		"a kind that is gone":               {"policy/v1beta1", "PodSecurityPolicy", "/apiVersion"},
		"a kind in the wrong group":         {"apps/v1", "Job", "/kind"},
		"a kind that cannot be created":     {"v1", "PodList", "/kind"},
		"a kind without its group":          {"v1", "Deployment", "/kind"},
	} {
		t.Run(name, func(t *testing.T) {
			object := judge.Object{"apiVersion": broken.apiVersion, "kind": broken.kind, "metadata": judge.Object{"name": "a"}}
			if !Covers(judge.KindOf(object)) {
				t.Fatal("nobody would be asked about it")
			}
			_, refusals := Decode(object)
			expect(t, refusals, "decoding", broken.pointer, "no matches for kind")
		})
	}
}

func TestOtherPeoplesGroupsAreNotCovered(t *testing.T) {
	for _, group := range []string{"kubeflow.org", "ray.io", "kueue.x-k8s.io", "jobset.x-k8s.io", "scheduling.x-k8s.io"} {
		if Covers(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Job"}) {
			t.Errorf("%s is covered", group)
		}
	}
}

func TestDecodingFillsInDefaults(t *testing.T) {
	object := decoded(t, aJob)
	for pointer, expected := range map[string]any{
		"/spec/backoffLimit":                                int64(6),
		"/spec/completionMode":                              "NonIndexed",
		"/spec/template/spec/terminationGracePeriodSeconds": int64(30),
		"/spec/template/spec/containers/0/imagePullPolicy":  "Always",
	} {
		if found, _ := judge.At(object, pointer); found != expected {
			t.Errorf("%s is %v", pointer, found)
		}
	}
}

func TestANamespaceIsFilledInAndTakenFromClusterScope(t *testing.T) {
	config := decoded(t, others["ConfigMap"])
	if namespace, _ := judge.At(config, "/metadata/namespace"); namespace != "default" {
		t.Errorf("%v", namespace)
	}
	class := decoded(t, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a, namespace: b}, value: 1}")
	if namespace, written := judge.At(class, "/metadata/namespace"); written {
		t.Errorf("%v", namespace)
	}
}
