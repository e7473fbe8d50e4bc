package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The schemas that this repository keeps.
const kept = "../../../schemas"

const pod = `
        metadata: {labels: {app: demo}}
        spec:
          restartPolicy: Never
          securityContext: {runAsNonRoot: true, runAsUser: 1000}
          containers:
            - name: pytorch
              image: example.org/demo:1
              command: [python, train.py]
              env: [{name: A, value: "1"}]
              ports: [{containerPort: 23456, name: rendezvous}]
              resources: {limits: {cpu: "4", memory: 16Gi, nvidia.com/gpu: 8}}
              livenessProbe: {httpGet: {path: /, port: http}}
          volumes: [{name: scratch, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]
`

var manifests = map[string]string{
	"training-operator/v1.9.4/kubeflow.org/pytorchjob_v1.json": `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: demo, namespace: vision, labels: {kueue.x-k8s.io/queue-name: h100}}
spec:
  nprocPerNode: "8"
  runPolicy: {cleanPodPolicy: None, backoffLimit: 3}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template:` + pod,
	"kuberay/v1.6.2/ray.io/rayjob_v1.json": `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: demo, namespace: vision}
spec:
  entrypoint: python train.py
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {num-cpus: "0"}
      template:` + pod + `
    workerGroupSpecs:
      - groupName: gpu
        replicas: 2
        rayStartParams: {}
        template: {spec: {containers: [{name: ray, image: example.org/ray:1}]}}
`,
	"kueue/v0.19.2/kueue.x-k8s.io/clusterqueue_v1beta2.json": `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: h100}
spec:
  namespaceSelector: {matchLabels: {team: vision}}
  resourceGroups:
    - coveredResources: [cpu, nvidia.com/gpu]
      flavors:
        - name: h100
          resources: [{name: cpu, nominalQuota: 96}, {name: nvidia.com/gpu, nominalQuota: "16"}]
`,
	"kubernetes/v1.36.3/batch/job_v1.json": `
apiVersion: batch/v1
kind: Job
metadata: {name: demo, namespace: vision, annotations: {a: b}}
spec:
      completions: 1
      template:` + pod,
	"kubernetes/v1.33.5/networking.k8s.io/networkpolicy_v1.json": `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: vision}
spec:
  podSelector: {matchLabels: {app: demo}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {}}], ports: [{port: 23456, protocol: TCP}, {port: metrics}]}]
`,
	"argo-cd/v3.5.7/argoproj.io/application_v1alpha1.json": `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: demo, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: vision
  destination: {name: east, namespace: vision}
  source: {repoURL: https://example.org/repo.git, path: rendered/east/demo, helm: {valuesObject: {any: {thing: [1]}}}}
`,
}

func TestCorrectManifestsAreAccepted(t *testing.T) {
	for name, manifest := range manifests {
		t.Run(name, func(t *testing.T) {
			if err := judge(t, name, manifest); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWrongManifestsAreRefused(t *testing.T) {
	cases := []struct{ kind, right, wrong, words string }{
		{"pytorchjob_v1", "nprocPerNode:", "nProcPerNode:", "at '/spec': additional properties 'nProcPerNode' not allowed"},
		{"pytorchjob_v1", "kind: PyTorchJob", "kind: PytorchJob", "at '/kind': value must be 'PyTorchJob'"},
		{"pytorchjob_v1", "replicas: 1", `replicas: "1"`, "/spec/pytorchReplicaSpecs/Master/replicas': got string, want integer"},
		{"pytorchjob_v1", "queue-name: h100", "queue-name: 100", "at '/metadata/labels/kueue.x-k8s.io~1queue-name': got number, want string"},
		{"pytorchjob_v1", "labels: {app: demo}", "labels: {app: 1}", "/template/metadata/labels/app': got number, want string"},
		{"pytorchjob_v1", "  volumes:", "  volume:", "/template/spec': additional properties 'volume' not allowed"},
		{"pytorchjob_v1", "memory: 16Gi", "memory: 16gb", "/resources/limits/memory': '16gb' does not match pattern"},
		{"rayjob_v1", "rayClusterSpec:", "clusterSpec:", "at '/spec': additional properties 'clusterSpec' not allowed"},
		{"rayjob_v1", "groupName: gpu", "name: gpu", "missing property 'groupName'"},
		{"clusterqueue_v1beta2", `nominalQuota: "16"`, `nominalQuota: sixteen`, "'sixteen' does not match pattern"},
		{"clusterqueue_v1beta2", "name: h100}", "name: h100, label: {}}", "at '/metadata': additional properties 'label' not allowed"},
		{"job_v1", "completions: 1", "completion: 1", "at '/spec': additional properties 'completion' not allowed"},
		{"job_v1", "annotations: {a: b}", "annotations: {a: true}", "at '/metadata/annotations/a': got boolean, want string"},
		{"job_v1", "nvidia.com/gpu: 8", "nvidia.com/gpu: [8]", "/limits/nvidia.com~1gpu': got array, want number or string"},
		{"job_v1", "metadata: {name: demo", "metadate: {name: demo", "missing property 'metadata'"},
		{"networkpolicy_v1", "podSelector: {matchLabels", "podSelectors: {matchLabels", "missing property 'podSelector'"},
		{"networkpolicy_v1", "port: metrics", "port: true", "/port': got boolean, want integer or string"},
		{"application_v1alpha1", "project: vision", "project: 1", "at '/spec/project': got number, want string"},
	}
	for _, each := range cases {
		t.Run(each.kind+" "+each.wrong, func(t *testing.T) {
			name, manifest := manifestOf(t, each.kind)
			if strings.Count(manifest, each.right) != 1 {
				t.Fatalf("%q does not stand once in the manifest", each.right)
			}
			err := judge(t, name, strings.Replace(manifest, each.right, each.wrong, 1))
			if err == nil || !strings.Contains(err.Error(), each.words) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func manifestOf(t *testing.T, kind string) (name, manifest string) {
	t.Helper()
	for name, manifest := range manifests {
		if strings.HasSuffix(name, "/"+kind+".json") {
			return name, manifest
		}
	}
	t.Fatalf("no manifest of %s", kind)
	return "", ""
}

// judge holds a manifest against a kept schema.
func judge(t *testing.T, name, manifest string) error {
	t.Helper()
	compiled, err := Compile(name, keptSchema(t, name))
	if err != nil {
		t.Fatal(err)
	}
	object, err := decodeYAML([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(object)
}

func keptSchema(t *testing.T, name string) node {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kept, name))
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, string(text))
}
