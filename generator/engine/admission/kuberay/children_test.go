package kuberay

import (
	"os"
	"slices"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func made(t testing.TB, object judge.Object) []judge.Child {
	t.Helper()
	found, err := children(judge.Review{Object: object, Around: judge.NewSurroundings("1.33", nil)})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func find(t testing.TB, from []judge.Child, kind, role string) judge.Child {
	t.Helper()
	for _, child := range from {
		if judge.KindOf(child.Object).Kind == kind && child.Role == role {
			return child
		}
	}
	t.Fatalf("there is no %s of %q", kind, role)
	return judge.Child{}
}

func at(t testing.TB, object judge.Object, pointer string) any {
	t.Helper()
	value, isThere := judge.At(object, pointer)
	if !isThere {
		t.Fatalf("nothing stands at %s", pointer)
	}
	return value
}

// containers are the names of those in a list of a pod.
func containers(t testing.TB, pod judge.Object, list string) (names []string) {
	for _, container := range at(t, pod, "/spec/"+list).([]any) {
		names = append(names, container.(map[string]any)["name"].(string))
	}
	return names
}

func TestARayJobMakesAHeadWorkersAndASubmitter(t *testing.T) {
	all := made(t, read(t, rayJob))
	for role, count := range map[string]int{"head": 1, "cpu": 1, "gpu": 2} {
		if pod := find(t, all, "Pod", role); pod.Count != count {
			t.Errorf("%s: got %d, want %d", role, pod.Count, count)
		}
	}
	if words := at(t, find(t, all, "Job", "submitter").Object, "/spec/template/spec/containers/0/args/0").(string); !strings.Contains(words, "python train.py") {
		t.Errorf("the submitter runs %q", words)
	}
	worker := find(t, all, "Pod", "gpu")
	if got := containers(t, worker.Object, "initContainers"); !slices.Equal(got, []string{"wait-gcs-ready"}) {
		t.Errorf("got %v", got)
	}
	if got := at(t, find(t, all, "Service", "head").Object, "/spec/clusterIP"); got != "None" {
		t.Errorf("got %v", got)
	}
}

func TestAnAutoscaledGroupIsCountedAtItsMost(t *testing.T) {
	job := read(t, rayJob)
	put(t, job, cluster+"/enableInTreeAutoscaling", "true")
	put(t, job, cluster+"/autoscalerOptions", "{resources: {requests: {cpu: 1}}}")
	all := made(t, job)
	if got := find(t, all, "Pod", "gpu").Count; got != 3*2 {
		t.Errorf("got %d", got)
	}
	head := find(t, all, "Pod", "head")
	if got := containers(t, head.Object, "containers"); !slices.Equal(got, []string{"ray-head", "autoscaler"}) {
		t.Errorf("got %v", got)
	}
	if got := head.Trace("/spec/containers/1/resources/requests/cpu"); got != cluster+"/autoscalerOptions/resources/requests/cpu" {
		t.Errorf("got %s", got)
	}
}

func TestAGroupOfNoneMakesNone(t *testing.T) {
	job := read(t, rayJob)
	put(t, job, gpu+"/replicas", "0")
	put(t, job, gpu+"/minReplicas", "0")
	for _, child := range made(t, job) {
		if child.Role == "gpu" {
			t.Errorf("got %d of %s", child.Count, child.Role)
		}
	}
}

func TestPartsOfPodsAreTracedToTheirTemplates(t *testing.T) {
	all := made(t, read(t, rayJob))
	head, worker, submitter := find(t, all, "Pod", "head"), find(t, all, "Pod", "gpu"), find(t, all, "Job", "submitter")
	cases := []struct {
		child      judge.Child
		from, want string
	}{
		{head, "/spec/containers/0/image", headPod + "/containers/0/image"},
		{head, "/spec/containers/0/env/0/value", headPod + "/containers/0/env/0/value"},
		{head, "/metadata/name", "/metadata/name"},
		{worker, "/spec/containers/0/image", gpu + "/template/spec/containers/0/image"},
		{worker, "/spec/initContainers/0/securityContext/runAsUser",
			gpu + "/template/spec/containers/0/securityContext/runAsUser"},
		{worker, "/spec/initContainers/0/resources", gpu + "/template/spec/resources"},
		{submitter, "/spec/template/spec/containers/0/image", "/spec"},
	}
	for _, tested := range cases {
		if got := tested.child.Trace(tested.from); got != tested.want {
			t.Errorf("%s of %s: got %s, want %s", tested.from, tested.child.Role, got, tested.want)
		}
	}
}

func TestASuspendedJobMakesWhatItWillWhenResumed(t *testing.T) {
	job := read(t, rayJob)
	put(t, job, "/spec/suspend", "true")
	find(t, made(t, job), "Pod", "head")
}

func TestASubmitterInTheHeadNeedsNoJob(t *testing.T) {
	job := read(t, rayJob)
	put(t, job, "/spec/submissionMode", "SidecarMode")
	all := made(t, job)
	if got := containers(t, find(t, all, "Pod", "head").Object, "containers"); !slices.Contains(got, "ray-job-submitter") {
		t.Errorf("got %v", got)
	}
	for _, child := range all {
		if judge.KindOf(child.Object).Kind == "Job" {
			t.Error("there is a Job")
		}
	}
}

func TestALongNameIsCutAsTheAPIServerDoes(t *testing.T) {
	job := read(t, rayJob)
	put(t, job, "/metadata/name", strings.Repeat("a", 47))
	if name := at(t, find(t, made(t, job), "Pod", "head").Object, "/metadata/name").(string); len(name) > 63 {
		t.Errorf("%s has %d letters", name, len(name))
	}
}

func TestARayServiceMakesARayClusterAndARayCronJobARayJob(t *testing.T) {
	spec := at(t, read(t, rayJob), "/spec").(map[string]any)
	service := judge.Object{
		"apiVersion": "ray.io/v1", "kind": "RayService",
		"metadata": map[string]any{"name": "serve", "namespace": "team"},
		"spec":     map[string]any{"rayClusterConfig": spec["rayClusterSpec"]},
	}
	serving := find(t, made(t, service), "RayCluster", "")
	if got := serving.Trace("/spec/headGroupSpec/template"); got != "/spec/rayClusterConfig/headGroupSpec/template" {
		t.Errorf("got %s", got)
	}
	find(t, made(t, serving.Object), "Pod", "gpu")
	cron := judge.Object{
		"apiVersion": "ray.io/v1", "kind": "RayCronJob",
		"metadata": map[string]any{"name": "nightly", "namespace": "team"},
		"spec":     map[string]any{"schedule": "0 3 * * *", "jobTemplate": spec},
	}
	nightly := find(t, made(t, cron), "RayJob", "")
	if name := at(t, nightly.Object, "/metadata/name").(string); len(name) != len("nightly-12345") {
		t.Errorf("got %s", name)
	}
	find(t, made(t, nightly.Object), "Job", "submitter")
}

func TestAnOlderVersionIsJudgedAsTheNewer(t *testing.T) {
	job := read(t, rayJob)
	job["apiVersion"] = "ray.io/v1alpha1"
	if !Operator.Covers(judge.KindOf(job)) {
		t.Fatal("it is not covered")
	}
	find(t, made(t, job), "Pod", "head")
}

func BenchmarkRayJob(b *testing.B) {
	text, err := os.ReadFile("../../../../rendered/gke-research/job-recsys-two-tower/rayjob-two-tower-7ad2c45a.yaml")
	if err != nil {
		b.Fatal(err)
	}
	review := judge.Review{Object: read(b, string(text)), Around: judge.NewSurroundings("1.33", nil)}
	for b.Loop() {
		if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
		if _, err := Operator.Children(review); err != nil {
			b.Fatal(err)
		}
	}
}
