package trainer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func childrenOf(t testing.TB, changes ...string) map[string]judge.Child {
	t.Helper()
	made, err := Operator.Children(judge.Review{Object: changed(t, trainJob, changes...), Around: around(t)})
	if err != nil {
		t.Fatal(err)
	}
	children := map[string]judge.Child{}
	for _, child := range made {
		children[title(child.Object)] = child
	}
	return children
}

func TestWhatIsMade(t *testing.T) {
	for change, want := range map[string][]string{
		"/spec/suspend false": {"ConfigMap train-runtime-snapshot", "JobSet train", "PodGroup train"},
		mpi: {
			"ConfigMap train-mpi-hostfile", "ConfigMap train-runtime-snapshot", "JobSet train",
			"Secret train-mpi-ssh-auth",
		},
		"/spec/managedBy kueue.x-k8s.io/multikueue": {},
	} {
		made := []string{}
		for title := range childrenOf(t, change) {
			made = append(made, title)
		}
		slices.Sort(made)
		if !reflect.DeepEqual(made, want) {
			t.Errorf("with %s: %q", change, made)
		}
	}
}

func TestThePartsOfTheJobSet(t *testing.T) {
	jobSet := childrenOf(t)["JobSet train"].Object
	const node = "/spec/replicatedJobs/1/template/spec"
	for pointer, want := range map[string]any{
		"/apiVersion":                                                     "jobset.x-k8s.io/v1alpha2",
		"/metadata/namespace":                                             "vision",
		"/metadata/labels":                                                map[string]any{"team": "vision"},
		node + "/parallelism":                                             int64(4),
		node + "/template/spec/containers/1/image":                        "registry.example/mine:1",
		node + "/template/spec/containers/0/image":                        "registry.example/side:1",
		node + "/template/spec/containers/1/resources/limits":             map[string]any{"nvidia.com/gpu": "8"},
		node + "/template/metadata/labels/scheduling.x-k8s.io~1pod-group": "train",
	} {
		if got, _ := judge.At(jobSet, pointer); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v", pointer, got)
		}
	}
}

func TestWhereThePartsWereWritten(t *testing.T) {
	jobSet := childrenOf(t,
		"/spec/initializer {dataset: {storageUri: 's3://data/set', secretRef: {name: key}}}",
		patching("node", "{nodeSelector: {zone: a}, volumes: [{name: scratch, emptyDir: {}}], "+
			"containers: [{name: side, volumeMounts: [{name: scratch, mountPath: /scratch}]}]}"),
	)["JobSet train"]
	const (
		fetch    = "/spec/replicatedJobs/0/template/spec/template/spec/containers/0"
		job      = "/spec/replicatedJobs/1"
		pod      = job + "/template/spec/template/spec"
		node     = pod + "/containers/1"
		patched  = patch + "/template/spec/template/spec"
		fallback = "/spec/runtimeRef"
	)
	environment, _ := judge.At(jobSet.Object, node+"/env")
	own := indices(environment.([]any), "name")
	if _, has := own["PET_NNODES"]; !has {
		t.Fatalf("torchrun gets %v", environment)
	}
	at := func(name string) string { return node + "/env/" + string(rune('0'+own[name])) }
	for pointer, want := range map[string]string{
		"/metadata/name":                           "/metadata/name",
		job + "/name":                              "/metadata/name",
		"/spec/suspend":                            "/spec/suspend",
		job + "/template/spec/completions":         "/spec/trainer/numNodes",
		node + "/image":                            "/spec/trainer/image",
		node + "/command/1":                        "/spec/trainer/command/1",
		node + "/resources/limits/nvidia.com~1gpu": "/spec/trainer/resourcesPerNode/limits/nvidia.com~1gpu",
		at("LR") + "/value":                        "/spec/trainer/env/0/value",
		at("FROM_RUNTIME") + "/value":              fallback,
		at("PET_NNODES") + "/value":                fallback,
		pod + "/containers/0/image":                fallback,
		pod + "/nodeSelector/zone":                 patched + "/nodeSelector/zone",
		pod + "/volumes/0/name":                    patched + "/volumes/0/name",
		pod + "/containers/0/volumeMounts/0":       patched + "/containers/0/volumeMounts/0",
		fetch + "/image":                           fallback,
		fetch + "/env/0/value":                     "/spec/initializer/dataset/storageUri",
		fetch + "/envFrom/0/secretRef/name":        "/spec/initializer/dataset/secretRef/name",
	} {
		if got := jobSet.Trace(pointer); got != want {
			t.Errorf("%s comes from %s, not from %s", pointer, got, want)
		}
	}
}

func TestWhatOnlyAPatchMakesWasWrittenThere(t *testing.T) {
	const containers = "/template/spec/template/spec/containers"
	for change, want := range map[string]string{
		patching("boss", "{nodeSelector: {zone: a}}"):     patch + containers,
		patching("node", "{containers: [{name: other}]}"): patch + containers + "/0/image",
	} {
		jobSet := childrenOf(t, change)["JobSet train"]
		jobs := named(jobSet.Object, "/spec/replicatedJobs", "name")
		pointer := fmt.Sprintf("/spec/replicatedJobs/%d", jobs["boss"]) + containers
		if other, has := container(jobSet.Object, fmt.Sprintf("/spec/replicatedJobs/%d", jobs["node"]), "other"); has {
			pointer = other + "/image"
		}
		if got := jobSet.Trace(pointer); got != want {
			t.Errorf("%s comes from %s, not from %s", pointer, got, want)
		}
	}
}

func TestTooManyPodsAreNotJudged(t *testing.T) {
	review := judge.Review{Object: changed(t, trainJob, mpi, "/spec/trainer/numNodes 2000000000"), Around: around(t)}
	made, err := Operator.Children(review)
	if err == nil || !strings.Contains(err.Error(), "it has 2000000000 pods") || len(made) > 0 {
		t.Errorf("got %v, %v", made, err)
	}
}

func BenchmarkReview(b *testing.B) {
	for name, runtime := range map[string]string{"torch": "/spec/suspend false", "mpi": mpi} {
		b.Run(name, func(b *testing.B) {
			surroundings := around(b)
			objects := []judge.Object{changed(b, trainJob, runtime), changed(b, trainJob, runtime, "/spec/trainer/numNodes 2")}
			for count := 0; b.Loop(); count++ {
				review := judge.Review{Object: objects[count%2], Around: surroundings}
				if err := Operator.Mutate(review); err != nil {
					b.Fatal(err)
				}
				if refusals, err := Operator.Refusals(review); err != nil || len(refusals) > 0 {
					b.Fatal(refusals, err)
				}
				if _, err := Operator.Children(review); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
