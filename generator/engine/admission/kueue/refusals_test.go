package kueue

import (
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

// refused is what an edit of an object on its creation must lead to.
type refused struct {
	name    string
	object  string
	edits   []edit
	pointer string
	words   string
}

var creations = []refused{
	{"the resources of a flavor in another order", clusterQueue,
		[]edit{{firstFlavor + "/resources/0/name", "nvidia.com/gpu"}},
		firstFlavor + "/resources/0/name", "must match the name in coveredResources"},
	{"a borrowing limit without a cohort", clusterQueue,
		[]edit{{"/spec/cohortName", nil}, {firstFlavor + "/resources/1/lendingLimit", nil}},
		firstFlavor + "/resources/1/borrowingLimit", "must be nil when cohort is empty"},
	{"a lending limit above what there is", clusterQueue,
		[]edit{{firstFlavor + "/resources/1/lendingLimit", "9"}},
		firstFlavor + "/resources/1/lendingLimit", "must be less than or equal to the nominalQuota"},
	{"a flavor twice", clusterQueue,
		[]edit{{secondFlavor + "/name", "h100"}}, secondFlavor + "/name", "Duplicate value"},
	{"a covered resource twice", clusterQueue,
		[]edit{{"/spec/resourceGroups/0/coveredResources/1", "cpu"}, {firstFlavor + "/resources/1/name", "cpu"},
			{secondFlavor + "/resources/1/name", "cpu"}},
		"/spec/resourceGroups/0/coveredResources/1", "Duplicate value"},
	{"a negative quota", clusterQueue,
		[]edit{{firstFlavor + "/resources/0/nominalQuota", "-1"}},
		firstFlavor + "/resources/0/nominalQuota", "must be greater than or equal to 0"},
	{"borrowing by preemption without reclaiming", clusterQueue,
		[]edit{{"/spec/preemption/reclaimWithinCohort", "Never"},
			{"/spec/preemption/borrowWithinCohort/policy", "LowerPriority"}},
		"/spec/preemption", "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"},
	{"a preference that is never asked for", clusterQueue,
		[]edit{{"/spec/flavorFungibility/preference", "BorrowingOverPreemption"}},
		"/spec/flavorFungibility/preference", "requires both whenCanBorrow and whenCanPreempt"},
	{"an admission check on a flavor that is not there", clusterQueue,
		[]edit{{"/spec/admissionChecksStrategy/admissionChecks",
			[]any{map[string]any{"name": "check", "onFlavors": []any{"b200"}}}}},
		"/spec/admissionChecksStrategy/admissionChecks/0/onFlavors/0", "Unsupported value"},
	{"a selector of namespaces that selects by nothing known", clusterQueue,
		[]edit{{"/spec/namespaceSelector/matchExpressions",
			[]any{map[string]any{"key": "team", "operator": "Is"}}}},
		"/spec/namespaceSelector/matchExpressions/0/operator", "not a valid selector operator"},
	{"a label of nodes that is no label", resourceFlavor,
		[]edit{{"/spec/nodeLabels/accelerator", "h 100"}}, "/spec/nodeLabels/accelerator", "Invalid value"},
	{"a taint twice", resourceFlavor,
		[]edit{{"/spec/nodeTaints/1/key", "spot"}}, "/spec/nodeTaints/1", "taints must be unique by key and effect pair"},
	{"a toleration of a key that is no label", resourceFlavor,
		[]edit{{"/spec/tolerations/0/key", "a b"}}, "/spec/tolerations/0/key", "Invalid value"},
	{"a cohort that borrows from nobody", cohort,
		[]edit{{firstFlavor + "/resources/0/borrowingLimit", "1"}},
		firstFlavor + "/resources/0/borrowingLimit", "must be nil when parent is empty"},
	{"a negative share", cohort,
		[]edit{{"/spec/fairSharing/weight", "-1"}}, "/spec/fairSharing/weight", "must be greater than or equal to 0"},

	{"a queue of an impossible name", pyTorchJob,
		[]edit{{queuePointer, "NLP_queue"}}, queuePointer, "a lowercase RFC 1123 subdomain"},
	{"a running time in words", pyTorchJob,
		[]edit{{timePointer, "1h"}}, timePointer, "invalid syntax"},
	{"no running time at all", pyTorchJob,
		[]edit{{timePointer, "0"}}, timePointer, "should be greater than 0"},
	{"an elastic job of a kind that cannot be", pyTorchJob,
		[]edit{{elasticPointer, "true"}}, elasticPointer, "elastic job is not supported"},
	{"two topologies at once", pyTorchJob,
		[]edit{{workerTemplate + "/metadata/annotations/" + requiredRack, "rack"},
			{workerTemplate + "/metadata/annotations/kueue.x-k8s.io~1podset-preferred-topology", "rack"}},
		workerTemplate + "/metadata/annotations", "must not contain more than one topology annotation"},
	{"a topology level that is no label", pyTorchJob,
		[]edit{{workerTemplate + "/metadata/annotations/" + requiredRack, "my rack"}},
		workerTemplate + "/metadata/annotations/" + requiredRack, "Invalid value"},
	{"slices without a size", batchJob,
		[]edit{{"/spec/template/metadata/annotations/kueue.x-k8s.io~1podset-slice-required-topology", "rack"}},
		"/spec/template/metadata/annotations/kueue.x-k8s.io~1podset-slice-size", "must be set when"},
	{"a prebuilt workload of an impossible name", batchJob,
		[]edit{{"/metadata/labels/kueue.x-k8s.io~1prebuilt-workload-name", "My_Run"}},
		"/metadata/labels/kueue.x-k8s.io~1prebuilt-workload-name", "a lowercase RFC 1123 subdomain"},
	{"a minimum that is the whole", batchJob,
		[]edit{{minimumPointer, "10"}}, minimumPointer, "should be between 0 and 9"},
	{"a minimum in words", batchJob,
		[]edit{{minimumPointer, "few"}}, minimumPointer, "invalid syntax"},
	{"completions that follow the pods of a job without indices", batchJob,
		[]edit{{"/metadata/annotations/kueue.x-k8s.io~1job-completions-equal-parallelism", "true"}},
		"/metadata/annotations/kueue.x-k8s.io~1job-completions-equal-parallelism", "should not be enabled for NonIndexed"},
	{"a Ray cluster that stays behind", rayJob,
		[]edit{{"/spec/shutdownAfterJobFinishes", nil}},
		"/spec/shutdownAfterJobFinishes", "should delete the cluster after finishing"},
	{"a Ray cluster that grows by itself", rayJob,
		[]edit{{"/spec/rayClusterSpec/enableInTreeAutoscaling", true}},
		"/spec/rayClusterSpec/enableInTreeAutoscaling", "only use autoscaling when"},
	{"workers that are called head", rayJob,
		[]edit{{"/spec/rayClusterSpec/workerGroupSpecs/0/groupName", "head"}},
		"/spec/rayClusterSpec/workerGroupSpecs/0/groupName", "is reserved for the head group"},
}

func TestKueueRefusesOnCreation(t *testing.T) {
	for _, row := range creations {
		t.Run(row.name, func(t *testing.T) {
			object := edited(parse(t, row.object), row.edits...)
			found, err := Operator.Refusals(judge.Review{Object: object, Around: around()})
			expect(t, found, err, row.pointer, row.words)
		})
	}
}

func expect(t *testing.T, found []judge.Refusal, err error, pointer, words string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, refusal := range found {
		if refusal.Judge != "kueue" {
			t.Errorf("%+v is not Kueue's", refusal)
		}
		if refusal.Pointer == pointer && strings.Contains(refusal.Message, words) {
			return
		}
	}
	t.Errorf("nothing at %s says %q: %+v", pointer, words, found)
}

var changes = []refused{
	{"another queue while it runs", pyTorchJob, []edit{{queuePointer, "vision"}}, queuePointer, "field is immutable"},
	{"another running time while it runs", pyTorchJob, []edit{{timePointer, "60"}}, timePointer, "field is immutable"},
	{"a priority while it runs", rayJob, []edit{{priorityPointer, "high"}}, priorityPointer,
		"cannot be added to a non-suspended workload"},
	{"elastic from now on", batchJob, []edit{{elasticPointer, "true"}}, elasticPointer, "field is immutable"},
	{"another queue for a Ray job", rayJob, []edit{{queuePointer, "vision"}}, queuePointer, "field is immutable"},
}

func TestKueueRefusesChangesOfWhatRuns(t *testing.T) {
	for _, row := range changes {
		t.Run(row.name, func(t *testing.T) {
			before := parse(t, row.object)
			if err := Operator.Mutate(judge.Review{Object: before, Around: around()}); err != nil {
				t.Fatal(err)
			}
			review := judge.Review{Object: edited(parse(t, row.object), row.edits...), Before: before, Around: around()}
			if err := Operator.Mutate(review); err != nil {
				t.Fatal(err)
			}
			found, err := Operator.Refusals(review)
			expect(t, found, err, row.pointer, row.words)
		})
	}
}
