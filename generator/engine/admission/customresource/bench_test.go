package customresource

import (
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

const rayJob = `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: demo, namespace: vision}
spec:
  entrypoint: python train.py
  managedBy: ray.io/kuberay-operator
  rayClusterSpec:
    headGroupSpec: {rayStartParams: {num-cpus: "0"}, template: {spec: {containers: [{name: head, image: a}]}}}
    workerGroupSpecs:
      - {groupName: gpu, replicas: 2, rayStartParams: {}, template: {spec: {containers: [{name: ray, image: a}]}}}
`

func BenchmarkAdmission(b *testing.B) {
	for name, manifest := range map[string]string{
		"PyTorchJob": pyTorchJob, "RayJob": rayJob, "TrainJob": trainJob, "ClusterQueue": clusterQueue,
	} {
		b.Run(name, func(b *testing.B) {
			object := read(b, manifest)
			kind, err := registry().Find(judge.KindOf(object))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				decoded, refusals := kind.Decode(object)
				refusals = append(refusals, kind.Validate(judge.Review{Object: decoded})...)
				if len(refusals) > 0 {
					b.Fatal(refusals)
				}
			}
		})
	}
}

func BenchmarkCompilation(b *testing.B) {
	for b.Loop() {
		if _, err := compileFile("../../../../schemas/kuberay/v1.6.2/ray.io/rayjob_v1.json"); err != nil {
			b.Fatal(err)
		}
	}
}

func read(b *testing.B, manifest string) (object judge.Object) {
	b.Helper()
	if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
		b.Fatal(err)
	}
	return object
}
