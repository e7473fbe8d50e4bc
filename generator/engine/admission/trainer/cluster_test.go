package trainer

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

// runtimes are those of the cluster in all tests.
const runtimes = `
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: ClusterTrainingRuntime
  metadata: {name: torch}
  spec:
    mlPolicy: {numNodes: 1, torch: {}}
    podGroupPolicy: {coscheduling: {}}
    template:
      metadata: {labels: {team: vision}}
      spec:
        replicatedJobs:
        - name: dataset-initializer
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer}}
            spec: {template: {spec: {containers: [
              {name: dataset-initializer, image: registry.example/fetch:1, volumeMounts: [{name: initializer, mountPath: /data}]}]}}}
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [
              {name: side, image: registry.example/side:1},
              {name: node, image: registry.example/torch:1, env: [{name: FROM_RUNTIME, value: a}]}]}}}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainingRuntime
  metadata: {name: mpi, namespace: vision}
  spec:
    mlPolicy: {numNodes: 1, mpi: {runLauncherAsNode: true}}
    template:
      spec:
        replicatedJobs:
        - name: node
          template: {spec: {template: {spec: {containers: [{name: node, image: registry.example/mpi:1}]}}}}
        - name: launcher
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: registry.example/mpi:1}]}}}
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainingRuntime
  metadata: {name: unknown-mpi, namespace: vision}
  spec:
    mlPolicy: {mpi: {mpiImplementation: Intel}}
    template:
      spec:
        replicatedJobs:
        - name: launcher
          template: {spec: {template: {spec: {containers: [{name: node, image: registry.example/mpi:1}]}}}}
`

const trainJob = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train, namespace: vision}
spec:
  runtimeRef: {apiGroup: trainer.kubeflow.org, kind: ClusterTrainingRuntime, name: torch}
  managedBy: trainer.kubeflow.org/trainjob-controller
  suspend: false
  trainer:
    numNodes: 4
    image: registry.example/mine:1
    command: [torchrun, train.py]
    env: [{name: LR, value: "0.1"}]
    resourcesPerNode: {limits: {nvidia.com/gpu: 8}}
`

// changed is the object after changes: a pointer, a space, and what to put there.
func changed(t testing.TB, text string, changes ...string) judge.Object {
	t.Helper()
	object := parse[judge.Object](t, text)
	for _, change := range changes {
		pointer, text, _ := strings.Cut(change, " ")
		steps := judge.Steps(pointer)
		last := steps[len(steps)-1]
		parent, found := judge.At(object, strings.TrimSuffix(pointer, "/"+judge.Escape(last)))
		if !found {
			t.Fatalf("nothing holds %s", pointer)
		}
		parent.(map[string]any)[last] = parse[any](t, text)
	}
	return object
}

func parse[Shape any](t testing.TB, text string) (shape Shape) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &shape); err != nil {
		t.Fatal(err)
	}
	return shape
}

func around(t testing.TB, more ...judge.Object) *judge.Surroundings {
	t.Helper()
	return judge.NewSurroundings("1.36", append(parse[[]judge.Object](t, runtimes), more...))
}

func pointersOf(refusals []judge.Refusal) []string {
	pointers := []string{}
	for _, refusal := range refusals {
		pointers = append(pointers, refusal.Pointer)
	}
	return pointers
}
