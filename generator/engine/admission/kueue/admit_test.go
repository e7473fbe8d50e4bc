package kueue

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

const flavors = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: %s}
spec: {nodeLabels: {accelerator: %s}}
`

const localQueue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: nlp, namespace: team-nlp}
spec: {clusterQueue: nlp}
`

// lender lends eight GPUs to the cohort.
const lender = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: vision}
spec:
  cohortName: pool
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - name: h100
      resources:
      - {name: cpu, nominalQuota: "100"}
      - {name: nvidia.com/gpu, nominalQuota: "8"}
`

// queues are a queue of eight GPUs that may borrow eight more, and all that it names.
func queues(t testing.TB) []judge.Object {
	return []judge.Object{
		parse(t, clusterQueue), parse(t, localQueue), parse(t, cohort),
		parse(t, fmt.Sprintf(flavors, "h100", "h100")), parse(t, fmt.Sprintf(flavors, "a100", "a100")),
	}
}

func admissions(t testing.TB, objects ...judge.Object) []Admission {
	t.Helper()
	made, err := Admit(objects)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

const (
	workerGPU  = workerTemplate + "/spec/containers/1/resources/requests/nvidia.com~1gpu"
	workers    = "/spec/pytorchReplicaSpecs/Worker/replicas"
	jobGPU     = "/spec/template/spec/containers/0/resources/requests/nvidia.com~1gpu"
	tooManyGPU = "insufficient quota for nvidia.com/gpu in flavor h100"
)

// asked is a workload in a cluster, after edits of both.
type asked struct {
	name     string
	object   string
	edits    []edit
	queues   map[int][]edit
	more     []string
	admitted bool
	wanted   Admission
}

var asks = []asked{
	{name: "exactly what there is", object: pyTorchJob,
		edits: []edit{{workers, int64(7)}}, admitted: true},
	{name: "one more than there is", object: pyTorchJob,
		edits: []edit{{workers, int64(8)}},
		wanted: Admission{Reason: tooManyGPU, Pointer: workerGPU, Resource: "nvidia.com/gpu", Flavor: "h100",
			Role: "Worker"}},
	{name: "what the cohort lends", object: pyTorchJob,
		edits: []edit{{workers, int64(15)}}, more: []string{lender},
		admitted: true},
	{name: "one more than may be borrowed", object: pyTorchJob,
		edits: []edit{{workers, int64(16)}}, more: []string{lender},
		wanted: Admission{Reason: tooManyGPU, Pointer: workerGPU, Resource: "nvidia.com/gpu", Flavor: "h100",
			Role: "Worker"}},
	{name: "a flavor whose taint nobody tolerates", object: pyTorchJob,
		queues: map[int][]edit{
			3: {{"/spec/nodeTaints", []any{map[string]any{"key": "spot", "effect": "NoSchedule"}}}},
			4: {{"/spec/nodeTaints", []any{map[string]any{"key": "spot", "effect": "NoSchedule"}}}}},
		wanted: Admission{Reason: "untolerated taint", Flavor: "h100", Role: "Master",
			Pointer: "/spec/pytorchReplicaSpecs/Master/template/spec"}},
	{name: "nodes that no flavor has", object: pyTorchJob,
		edits: []edit{{workerTemplate + "/spec/nodeSelector/accelerator", "b200"}},
		wanted: Admission{Reason: "flavor h100 doesn't match node affinity", Flavor: "h100", Role: "Worker",
			Pointer: workerTemplate + "/spec/nodeSelector/accelerator"}},
	{name: "nodes of a flavor with too few GPUs", object: pyTorchJob,
		edits: []edit{{workerTemplate + "/spec/nodeSelector/accelerator", "a100"}},
		wanted: Admission{Reason: "insufficient quota for nvidia.com/gpu in flavor a100", Pointer: workerGPU,
			Resource: "nvidia.com/gpu", Flavor: "a100", Role: "Worker"}},
	{name: "a resource that no queue covers", object: pyTorchJob,
		edits: []edit{{workerTemplate + "/spec/containers/1/resources/requests/memory", "1Gi"}},
		wanted: Admission{Reason: "resource memory unavailable in ClusterQueue", Resource: "memory", Role: "Worker",
			Pointer: workerTemplate + "/spec/containers/1/resources/requests/memory"}},
	{name: "an elastic job that fits at its minimum", object: batchJob,
		edits: []edit{{minimumPointer, "8"}}, admitted: true},
	{name: "an elastic job that does not even then", object: batchJob,
		edits:  []edit{{minimumPointer, "9"}},
		wanted: Admission{Reason: tooManyGPU, Pointer: jobGPU, Resource: "nvidia.com/gpu", Flavor: "h100"}},
	{name: "a queue that is for other namespaces", object: batchJob,
		queues: map[int][]edit{0: {{"/spec/namespaceSelector/matchLabels/kubernetes.io~1metadata.name", "team-vision"}}},
		wanted: Admission{Reason: "namespace doesn't match ClusterQueue selector", Pointer: "/metadata/namespace"}},
	{name: "a queue that is not there", object: batchJob,
		edits:  []edit{{queuePointer, "nobody"}},
		wanted: Admission{Reason: "LocalQueue nobody doesn't exist", Pointer: queuePointer}},
	{name: "a queue of a cluster queue that is not there", object: batchJob,
		queues: map[int][]edit{1: {{"/spec/clusterQueue", "nobody"}}},
		wanted: Admission{Reason: "ClusterQueue nobody doesn't exist", Pointer: queuePointer}},
	{name: "a queue without one of its flavors", object: batchJob,
		queues: map[int][]edit{4: {{"/metadata/name", "b200"}}},
		wanted: Admission{Reason: "references missing ResourceFlavor(s): a100", Pointer: queuePointer}},
	{name: "a queue without its admission check", object: batchJob,
		queues: map[int][]edit{0: {{"/spec/admissionChecksStrategy/admissionChecks",
			[]any{map[string]any{"name": "capacity"}}}}},
		wanted: Admission{Reason: "references missing AdmissionCheck(s): capacity", Pointer: queuePointer}},
	{name: "a queue that is held", object: batchJob, queues: map[int][]edit{0: {{"/spec/stopPolicy", "Hold"}}},
		wanted: Admission{Reason: "is stopped", Pointer: queuePointer}},
	{name: "a priority that is not there", object: batchJob,
		edits:  []edit{{priorityPointer, "urgent"}},
		wanted: Admission{Reason: `"urgent" not found`, Pointer: priorityPointer}},
	{name: "more than its own limit", object: batchJob,
		edits:  []edit{{"/spec/template/spec/containers/0/resources/limits/cpu", "500m"}},
		wanted: Admission{Reason: "requests must not exceed its limits", Pointer: "/spec/template/spec/containers/0"}},
	{name: "a Ray job's workers", object: rayJob,
		edits: []edit{{"/spec/rayClusterSpec/workerGroupSpecs/0/replicas", int64(9)}},
		wanted: Admission{Reason: tooManyGPU, Resource: "nvidia.com/gpu", Flavor: "h100", Role: "small",
			Pointer: "/spec/rayClusterSpec/workerGroupSpecs/0/template/spec/containers/0/resources/requests/nvidia.com~1gpu"}},
	{name: "a Ray job's submitter, which nobody wrote", object: rayJob,
		edits:  []edit{{"/spec/submissionMode", "K8sJobMode"}},
		wanted: Admission{Reason: "resource memory unavailable", Resource: "memory", Role: "submitter", Pointer: "/spec"}},
	{name: "a training job's runtime", object: trainJob, more: []string{trainingRuntime},
		wanted: Admission{Reason: tooManyGPU, Pointer: "/spec", Resource: "nvidia.com/gpu", Flavor: "h100", Role: "node"}},
	{name: "a training job on fewer nodes", object: trainJob,
		edits: []edit{{"/spec/trainer/numNodes", int64(2)}},
		more:  []string{trainingRuntime}, admitted: true},
	{name: "a training job whose runtime is elsewhere", object: trainJob, admitted: true,
		wanted: Admission{Unchecked: "the training runtime is not among the objects"}},
	{name: "a topology that the flavors do not know", object: batchJob,
		edits: []edit{{"/spec/template/metadata/annotations/" + requiredRack, "rack"}, {"/spec/parallelism", int64(1)}},
		wanted: Admission{Reason: "does not support TopologyAwareScheduling", Flavor: "h100",
			Pointer: "/spec/template/metadata/annotations/" + requiredRack}},
	{name: "a topology without nodes", object: batchJob,
		edits:  []edit{{"/spec/template/metadata/annotations/" + requiredRack, "rack"}, {"/spec/parallelism", int64(1)}},
		queues: map[int][]edit{3: {{"/spec/topologyName", "racks"}}},
		more: []string{"{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: racks}, " +
			"spec: {levels: [{nodeLabel: rack}]}}"},
		admitted: true, wanted: Admission{Unchecked: "the topology: no Node is among the objects"}},
}

func TestKueueAdmitsOrNeverDoes(t *testing.T) {
	for _, row := range asks {
		t.Run(row.name, func(t *testing.T) {
			objects := queues(t)
			for index, edits := range row.queues {
				objects[index] = edited(objects[index], edits...)
			}
			for _, text := range row.more {
				objects = append(objects, parse(t, text))
			}
			found := admissions(t, append(objects, edited(parse(t, row.object), row.edits...))...)
			if len(found) != 1 || found[0].Index != len(objects) {
				t.Fatalf("not one verdict about the workload: %+v", found)
			}
			admission := found[0]
			if !strings.Contains(admission.Reason, row.wanted.Reason) {
				t.Errorf("%q does not say %q", admission.Reason, row.wanted.Reason)
			}
			row.wanted.Reason, row.wanted.Index, row.wanted.Admissible = admission.Reason, admission.Index, row.admitted
			if admission != row.wanted {
				t.Errorf("%+v, not %+v", admission, row.wanted)
			}
		})
	}
}

func TestOurOwnRunsAreAdmitted(t *testing.T) {
	const unplaced = "the topology: no Node is among the objects" // Git holds none: trainshed imagines them from pools
	configuration := `{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration,
		resources: {excludeResourcePrefixes: [ephemeral-storage]},
		integrations: {frameworks: [batch/job, kubeflow.org/pytorchjob, ray.io/rayjob, ray.io/raycluster]}}`
	for _, cluster := range clusters {
		found := admissions(t, append(committed(t, cluster), parse(t, configuration))...)
		if len(found) == 0 {
			t.Errorf("%s: no run", cluster)
		}
		for _, admission := range found {
			if !admission.Admissible || (admission.Unchecked != "" && admission.Unchecked != unplaced) {
				t.Errorf("%s: %+v", cluster, admission)
			}
		}
	}
}

func BenchmarkAThousandRuns(b *testing.B) {
	for _, count := range []int{100, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			objects := queues(b)
			for index := range count {
				objects = append(objects, edited(parse(b, pyTorchJob), edit{"/metadata/name", fmt.Sprintf("bert-%d", index)}))
			}
			for b.Loop() {
				if found := admissions(b, objects...); len(found) != count {
					b.Fatal(len(found))
				}
			}
		})
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	admissions(t, queues(t)...)
	before := runtime.NumGoroutine()
	for range 10 {
		admissions(t, append(queues(t), parse(t, pyTorchJob))...)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines more", after-before)
	}
}

func TestObjectsOfNoShapeDoNotStopTheOthers(t *testing.T) {
	broken := []judge.Object{
		{}, {"kind": "ClusterQueue"}, {"apiVersion": 1, "kind": []any{}},
		edited(parse(t, clusterQueue), edit{"/metadata/name", "broken"}, edit{"/spec/resourceGroups", "none"}),
		edited(parse(t, rayJob), edit{"/spec/rayClusterSpec", nil}),
		edited(parse(t, pyTorchJob), edit{"/spec/pytorchReplicaSpecs/Worker", nil}, edit{workers, "many"}),
		edited(parse(t, batchJob), edit{"/spec/template", nil}),
	}
	found := admissions(t, append(append(queues(t), broken...), parse(t, pyTorchJob))...)
	if last := found[len(found)-1]; last.Index != len(queues(t))+len(broken) || !last.Admissible {
		t.Errorf("%+v", found)
	}
}
