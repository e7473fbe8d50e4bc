package trainer

import (
	"reflect"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

const (
	mpi   = "/spec/runtimeRef {apiGroup: trainer.kubeflow.org, kind: TrainingRuntime, name: mpi}"
	patch = "/spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0"
)

// patching a replicatedJob's pods.
func patching(job, podSpec string) string {
	return "/spec/runtimePatches [{manager: vision.example/me, trainingRuntimeSpec: {template: {spec: {replicatedJobs: [" +
		"{name: " + job + ", template: {spec: {template: {spec: " + podSpec + "}}}}]}}}}]"
}

func TestTrainJobs(t *testing.T) {
	for name, test := range map[string]struct {
		change  string
		pointer string
		words   string
	}{
		"accepted":                           {change: "/spec/suspend false"},
		"of MPI":                             {change: mpi},
		"patched":                            {change: patching("node", "{nodeSelector: {zone: a}, containers: [{name: side, env: [{name: A, value: b}]}]}")},
		"with data":                          {change: "/spec/initializer {dataset: {storageUri: 's3://data/set'}}"},
		"of a runtime that is not there":     {"/spec/runtimeRef/name jax", "/spec/runtimeRef/name", `clustertrainingruntimes.trainer.kubeflow.org "jax" not found: specified clusterTrainingRuntime must be created`},
		"of a runtime of another namespace":  {"/spec/runtimeRef {apiGroup: trainer.kubeflow.org, kind: TrainingRuntime, name: torch}", "/spec/runtimeRef/name", `"torch" not found: specified trainingRuntime must be created`},
		"of a kind that is no runtime":       {"/spec/runtimeRef/kind Deployment", "/spec/runtimeRef/kind", "unsupported runtime: Deployment.trainer.kubeflow.org"},
		"of a group that is not Trainer's":   {"/spec/runtimeRef/apiGroup example.com", "/spec/runtimeRef/apiGroup", "unsupported runtime"},
		"that set torchrun's variables":      {"/spec/trainer/env [{name: A, value: b}, {name: PET_NNODES, value: '4'}]", "/spec/trainer/env/1/name", "must not have reserved envs, invalid envs configured: [PET_NNODES]"},
		"with a model and no initializer":    {"/spec/initializer {model: {storageUri: 's3://a/model'}}", "/spec/runtimeRef", "must have model-initializer job"},
		"that patch the trainer's variables": {patching("node", "{containers: [{name: node, env: [{name: A, value: b}]}]}"), patch + "/template/spec/template/spec/containers/0/env", "must not have envs for the"},
		"patched by nobody in particular":    {"/spec/runtimePatches [{manager: me}]", "/spec/runtimePatches/0/manager", "domain-prefixed path"},
		"from which nothing can be made":     {"/spec/runtimeRef {apiGroup: trainer.kubeflow.org, kind: TrainingRuntime, name: unknown-mpi}", "/spec/runtimeRef", "MPI implementation for"},
	} {
		t.Run(name, func(t *testing.T) {
			refusals, err := Operator.Refusals(judge.Review{Object: changed(t, trainJob, test.change), Around: around(t)})
			if err != nil {
				t.Fatal(err)
			}
			if test.words == "" && len(refusals) == 0 {
				return
			}
			if len(refusals) != 1 || !strings.HasPrefix(refusals[0].Pointer, test.pointer) || test.words == "" ||
				!strings.Contains(refusals[0].Message, test.words) || refusals[0].Judge != "trainer" {
				t.Errorf("got %v", refusals)
			}
		})
	}
}

func TestPatchesChangeOnlyWhileSuspended(t *testing.T) {
	change := patching("node", "{nodeSelector: {zone: a}}")
	for suspend, want := range map[string][]string{
		"/spec/suspend false": {"/spec/runtimePatches/0"},
		"/spec/suspend true":  {},
	} {
		review := judge.Review{
			Object: changed(t, trainJob, suspend, change), Before: changed(t, trainJob), Around: around(t),
		}
		refusals, err := Operator.Refusals(review)
		if err != nil || !reflect.DeepEqual(pointersOf(refusals), want) {
			t.Errorf("with %s: %v, %v", suspend, refusals, err)
		}
	}
}

func TestThePresentTimeIsNotKept(t *testing.T) {
	long := "2020-01-02T03:04:05Z"
	patches := "/spec/runtimePatches [{manager: a.example/b}, {manager: a.example/c, time: '" + long + "'}]"
	review := judge.Review{Object: changed(t, trainJob, patches), Around: around(t)}
	if err := Operator.Mutate(review); err != nil {
		t.Fatal(err)
	}
	want := parse[[]any](t, "[{manager: a.example/b}, {manager: a.example/c, time: '"+long+"'}]")
	if got, _ := judge.At(review.Object, "/spec/runtimePatches"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestThePresentTimeOfAPatchIsThatOfItsLastChange(t *testing.T) {
	before := changed(t, trainJob, "/spec/runtimePatches [{manager: a.example/b, time: '2020-01-02T03:04:05Z'}]")
	object := changed(t, trainJob, "/spec/runtimePatches [{manager: a.example/b}]")
	review := judge.Review{Object: object, Before: before, Around: around(t)}
	if err := Operator.Mutate(review); err != nil {
		t.Fatal(err)
	}
	if refusals, err := Operator.Refusals(review); err != nil || len(refusals) > 0 {
		t.Errorf("got %v, %v", refusals, err)
	}
}

func TestRuntimes(t *testing.T) {
	for _, kind := range []string{"ClusterTrainingRuntime", "TrainingRuntime"} {
		runtime := func(change string) judge.Object {
			return changed(t, `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: `+kind+`
metadata: {name: mine, namespace: vision}
spec:
  template:
    spec:
      replicatedJobs:
      - name: node
        replicas: 1
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: registry.example/torch:1}]}}}
`, change)
		}
		const job = "/spec/template/spec/replicatedJobs/0"
		for change, want := range map[string][]string{
			"/metadata/name same": {},
			job + "/replicas 2":   {job + "/replicas"},
			job + "/template/spec/template/spec {containers: [{name: main}]}": {job + "/template/spec/template/spec/containers"},
			job + "/template/metadata {labels: {}}":                           {},
		} {
			refusals, err := Operator.Refusals(judge.Review{Object: runtime(change), Around: around(t)})
			if err != nil || !reflect.DeepEqual(pointersOf(refusals), want) {
				t.Errorf("%s with %s: %v, %v", kind, change, refusals, err)
			}
		}
		update := judge.Review{Object: runtime(job + "/replicas 2"), Before: runtime("/metadata/name mine"), Around: around(t)}
		refusals, err := Operator.Refusals(update)
		if isJudged := len(refusals) > 0; err != nil || isJudged != (kind == "ClusterTrainingRuntime") {
			t.Errorf("the update of a %s: %v, %v", kind, refusals, err)
		}
	}
}
