package customresource

import (
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

// releases are the committed schemas that the tests judge by.
var releases = []string{
	"jobset/v0.12.0", "kuberay/v1.6.2", "kueue/v0.19.2", "trainer/v2.3.0", "training-operator/v1.9.4", "argo-cd/v3.5.7",
}

func registry() *Registry {
	folders := make([]string, len(releases))
	for index, release := range releases {
		folders[index] = filepath.Join("../../../../schemas", release)
	}
	return Load(folders)
}

const trainJob = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: demo, namespace: vision}
spec:
  managedBy: trainer.kubeflow.org/trainjob-controller
  runtimeRef: {name: torch}
  trainer: {numNodes: 2, env: [{name: A, value: "1"}]}
  initializer: {dataset: {storageUri: "s3://bucket/data"}}
  runtimePatches:
    - manager: example.org/one
      trainingRuntimeSpec:
        template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {serviceAccountName: a}}}}}]}}
`

const clusterQueue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: h100}
spec:
  cohortName: all
  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: TryNextFlavor, preference: BorrowingOverPreemption}
  preemption: {reclaimWithinCohort: Any, borrowWithinCohort: {policy: LowerPriority}}
  resourceGroups:
    - coveredResources: [cpu, nvidia.com/gpu]
      flavors:
        - name: h100
          resources:
            - {name: cpu, nominalQuota: 96}
            - {name: nvidia.com/gpu, nominalQuota: "16", borrowingLimit: 8}
`

const localQueue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: h100, namespace: vision}
spec: {clusterQueue: h100}
`

const jobSet = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: demo, namespace: vision}
spec:
  network: {subdomain: demo}
  startupPolicy: {startupPolicyOrder: AnyOrder}
  replicatedJobs:
    - {name: leader, template: {spec: {template: {spec: {containers: [{name: a, image: b}]}}}}}
    - name: worker
      dependsOn: [{name: leader, status: Ready}]
      template: {spec: {template: {spec: {containers: [{name: a, image: b}]}}}}
`

const pyTorchJob = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: demo, namespace: vision, labels: {queue: h100}}
spec:
  nprocPerNode: "8"
  runPolicy: {backoffLimit: 3, schedulingPolicy: {queue: a}}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
            - name: pytorch
              image: example.org/demo:1
              ports: [{containerPort: 23456, name: rendezvous}]
              resources: {limits: {nvidia.com/gpu: 8}}
`

const application = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: demo, namespace: argocd}
spec: {project: vision, destination: {name: east, namespace: vision}, source: {repoURL: "https://example.org/r.git", path: a}}
`

var manifests = []string{trainJob, clusterQueue, localQueue, jobSet, pyTorchJob, application}

func TestRightObjectsAreAdmittedAndMayStayAsTheyAre(t *testing.T) {
	for _, manifest := range manifests {
		object := decode(t, manifest)
		t.Run(judge.KindOf(object).Kind, func(t *testing.T) {
			expect(t, admit(t, object, nil))
			expect(t, admit(t, object, object))
		})
	}
}

func TestWhatIsWrongIsRefusedAtTheWord(t *testing.T) {
	cases := []struct{ name, manifest, right, wrong, refusal string }{
		{"an unknown field", pyTorchJob, "nprocPerNode", "nProcPerNode",
			`decoding /spec/nProcPerNode: strict decoding error: unknown field "spec.nProcPerNode"`},
		{"an unknown field deep inside", pyTorchJob, "containerPort: 23456,", "containerPort: 23456, hostport: 1,",
			`decoding /spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/ports/0/hostport: strict decoding error: ` +
				`unknown field "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].ports[0].hostport"`},
		{"an unknown field of metadata", pyTorchJob, "labels:", "label:",
			`decoding /metadata/label: strict decoding error: unknown field "metadata.label"`},
		{"a label that is no text", pyTorchJob, "queue: h100", "queue: 100",
			`decoding /metadata/labels/queue: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`},
		{"a text for a number", pyTorchJob, "replicas: 2", "replicas: two",
			`schema /spec/pytorchReplicaSpecs/Worker/replicas: spec.pytorchReplicaSpecs.Worker.replicas: Invalid value: "string": ` +
				`spec.pytorchReplicaSpecs.Worker.replicas in body must be of type integer: "string"` + "\n" +
				`schema /spec/pytorchReplicaSpecs/Worker/replicas: spec.pytorchReplicaSpecs.Worker.replicas: Invalid value: 0: ` +
				`.spec.pytorchReplicaSpecs.Worker.replicas accessor error: two is of the type string, expected int64`},
		{"replicas that cannot be scaled to", pyTorchJob, "replicas: 2", "replicas: -1",
			`schema /spec/pytorchReplicaSpecs/Worker/replicas: spec.pytorchReplicaSpecs.Worker.replicas: ` +
				`Invalid value: -1: should be a non-negative integer`},
		{"a missing field", trainJob, "runtimeRef: {name: torch}", "runtimeRef: {}",
			`schema /spec/runtimeRef/name: spec.runtimeRef.name: Required value`},
		{"two ports of one number in a list map", pyTorchJob, "name: rendezvous}]", "name: rendezvous}, {containerPort: 23456}]",
			`schema /spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/ports/1: ` +
				`spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].ports[1]: Duplicate value: ` +
				`{"containerPort":23456,"protocol":"TCP"}`},
		{"a namespaced object without a namespace", localQueue, ", namespace: vision", "",
			`schema /metadata/namespace: metadata.namespace: Required value`},
		{"an object of a cluster with a namespace", clusterQueue, "{name: h100}\nspec", "{name: h100, namespace: vision}\nspec",
			`schema /metadata/namespace: metadata.namespace: Forbidden: not allowed on this type`},
		{"a name that is none", localQueue, "{name: h100, ", "{name: H100, ",
			`schema /metadata/name: metadata.name: Invalid value: "H100": a lowercase RFC 1123 subdomain must consist of ` +
				`lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character ` +
				`(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
		{"a controller that is none", trainJob, "trainer.kubeflow.org/trainjob-controller", "example.org/mine",
			`rule /spec/managedBy: spec.managedBy: Invalid value: "example.org/mine": ManagedBy must be ` +
				`trainer.kubeflow.org/trainjob-controller or kueue.x-k8s.io/multikueue if set`},
		{"a name of an object that its rule refuses", trainJob, "name: demo,", "name: a.b,",
			`rule /metadata/name: <nil>: Invalid value: metadata.name must match RFC 1035 DNS label format`},
		{"an address without a scheme", trainJob, "s3://bucket/data", "bucket/data",
			`rule /spec/initializer/dataset/storageUri: spec.initializer.dataset.storageUri: Invalid value: "bucket/data": ` +
				`storageUri may be empty, or it must be a valid URI (scheme://...)`},
		{"two patches of one manager", trainJob, "    - manager: example.org/one", "    - {manager: example.org/one}\n    - manager: example.org/one",
			`schema /spec/runtimePatches/1: spec.runtimePatches[1]: Duplicate value: {"manager":"example.org/one"}`},
		{"borrowing outside of a cohort", clusterQueue, "cohortName: all", "",
			`rule /spec/resourceGroups/0/flavors/0/resources/1/borrowingLimit: spec: Invalid value: ` +
				`borrowingLimit must be nil when cohort is empty`},
		{"a preference that says nothing", clusterQueue, "whenCanBorrow: TryNextFlavor", "whenCanBorrow: MayStopSearch",
			`rule /spec/flavorFungibility/preference: spec.flavorFungibility: Invalid value: ` +
				`preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor`},
		{"preemption that contradicts itself", clusterQueue, "reclaimWithinCohort: Any", "reclaimWithinCohort: Never",
			`rule /spec/preemption/borrowWithinCohort/policy: spec.preemption: Invalid value: ` +
				`reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never`},
		{"a resource that no flavor has", clusterQueue, "[cpu, nvidia.com/gpu]", "[cpu, memory, nvidia.com/gpu]",
			`rule /spec/resourceGroups/0/flavors/0/resources: spec.resourceGroups[0]: Invalid value: ` +
				`flavors must have the same number of resources as the coveredResources`},
		{"an order beside dependencies", jobSet, "AnyOrder", "InOrder",
			`rule /spec/startupPolicy: spec: Invalid value: StartupPolicy and DependsOn APIs are mutually exclusive`},
		{"a job that stands twice", jobSet, "name: leader, template", "name: worker, template",
			`schema /spec/replicatedJobs/1: spec.replicatedJobs[1]: Duplicate value: {"name":"worker"}`},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			expect(t, admit(t, decode(t, edited(t, each.manifest, each.right, each.wrong)), nil), each.refusal)
		})
	}
}

func TestAChangeOfWhatIsImmutableIsRefusedAtTheWord(t *testing.T) {
	cases := []struct{ name, manifest, right, wrong, refusal string }{
		{"the controller of a TrainJob", trainJob, "trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue",
			`change /spec/managedBy: spec.managedBy: Invalid value: "kueue.x-k8s.io/multikueue": field is immutable`},
		{"what trains", trainJob, `value: "1"`, `value: "2"`,
			`change /spec/trainer/env/0/value: spec.trainer: Invalid value: field is immutable`},
		{"the account that a patch sets", trainJob, "serviceAccountName: a", "serviceAccountName: b",
			`change /spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0/template/spec/template/spec/` +
				`serviceAccountName: spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.` +
				`template.spec.serviceAccountName: Invalid value: "b": field is immutable`},
		{"the ClusterQueue of a LocalQueue", localQueue, "clusterQueue: h100", "clusterQueue: a100",
			`change /spec/clusterQueue: spec.clusterQueue: Invalid value: "a100": field is immutable`},
		{"the network of a JobSet", jobSet, "subdomain: demo", "subdomain: other",
			`change /spec/network/subdomain: spec.network: Invalid value: Value is immutable`},
		{"the scheduler's queue", pyTorchJob, "{queue: a}", "{queue: b}",
			`change /spec/runPolicy/schedulingPolicy/queue: spec.runPolicy.schedulingPolicy.queue: Invalid value: "b": ` +
				`spec.runPolicy.schedulingPolicy.queue is immutable`},
		{"a namespace", localQueue, "namespace: vision", "namespace: audio",
			`change /metadata/namespace: metadata.namespace: Invalid value: "audio": field is immutable`},
		{"what could not be created either", trainJob, "s3://bucket/data", "bucket/data",
			`rule /spec/initializer/dataset/storageUri: spec.initializer.dataset.storageUri: Invalid value: "bucket/data": ` +
				`storageUri may be empty, or it must be a valid URI (scheme://...)` + "\n" +
				`change /spec/initializer/dataset/storageUri: spec.initializer: Invalid value: field is immutable`},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			expect(t, admit(t, decode(t, edited(t, each.manifest, each.right, each.wrong)), decode(t, each.manifest)), each.refusal)
		})
	}
}

func decode(t *testing.T, manifest string) (object judge.Object) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(manifest), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func edited(t *testing.T, manifest, right, wrong string) string {
	t.Helper()
	if strings.Count(manifest, right) != 1 {
		t.Fatalf("%q does not stand once in the manifest", right)
	}
	return strings.Replace(manifest, right, wrong, 1)
}

// admit gives the refusals of an object, one a line: judge, pointer, words.
func admit(t *testing.T, object, before judge.Object) []string {
	t.Helper()
	kind, err := registry().Find(judge.KindOf(object))
	if err != nil {
		t.Fatal(err)
	}
	decoded, refusals := kind.Decode(object)
	if before != nil {
		before, _ = kind.Decode(before)
	}
	if len(refusals) == 0 {
		refusals = kind.Validate(judge.Review{Object: decoded, Before: before})
	}
	lines := []string{}
	for _, refusal := range refusals {
		lines = append(lines, refusal.Judge+" "+refusal.Pointer+": "+refusal.Message)
	}
	return lines
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
