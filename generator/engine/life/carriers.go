package life

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// state is what becomes of a run.
type state string

const (
	created   state = "created"
	suspended state = "suspended"
	resumed   state = "resumed"
	running   state = "running"
	succeeded state = "succeeded"
	failed    state = "failed"
)

// condition is an entry of status.conditions; <kind>, <namespace> and <name> stand for those of the object.
type condition struct{ kind, status, reason, message string }

// carrier is what an operator writes about objects of a kind: whose words they are stands with each.
type carrier struct {
	operator   string
	suspend    []string
	ttl        []string // where it says when a finished object is deleted; nil where the operator never does
	conditions map[state][]condition
	// fields are set below status instead of, or beside, conditions.
	fields map[state]map[string]any
	// times are the fields below status that say when a state began.
	times     map[state]string
	finalizer string
}

func (carrier *carrier) isSuspended(one *object) bool { return boolIn(one.Object, carrier.suspend...) }

// carriers are the kinds that carry runs.
var carriers = map[schema.GroupKind]*carrier{
	{Group: "kubeflow.org", Kind: "PyTorchJob"}: kubeflow,
	{Group: "kubeflow.org", Kind: "TFJob"}:      kubeflow,
	{Group: "kubeflow.org", Kind: "XGBoostJob"}: kubeflow,
	{Group: "kubeflow.org", Kind: "PaddleJob"}:  kubeflow,
	{Group: "kubeflow.org", Kind: "JAXJob"}:     kubeflow,
	{Group: "kubeflow.org", Kind: "MPIJob"}:     mpi,
	{Group: "ray.io", Kind: "RayJob"}:           rayJob,
	{Group: "ray.io", Kind: "RayCluster"}:       rayCluster,

	{Group: "jobset.x-k8s.io", Kind: "JobSet"}:        jobSet,
	{Group: "trainer.kubeflow.org", Kind: "TrainJob"}: trainJob,
	{Group: "batch", Kind: "Job"}:                     job,
}

// kubeflow are the words of training-operator v1.9 (pkg/util/status.go, pkg/controller.v1/common/job.go).
var kubeflow = &carrier{
	operator: "training-operator",
	suspend:  []string{"spec", "runPolicy", "suspend"},
	ttl:      []string{"spec", "runPolicy", "ttlSecondsAfterFinished"},
	conditions: map[state][]condition{
		created:   {{"Created", "True", "<kind>Created", "<kind> <name> is created."}},
		suspended: {{"Suspended", "True", "<kind>Suspended", "<kind> <name> is suspended."}},
		resumed:   {{"Suspended", "False", "<kind>Resumed", "<kind> <name> is resumed."}},
		running:   {{"Running", "True", "<kind>Running", "<kind> <namespace>/<name> is running."}},
		succeeded: {{"Succeeded", "True", "<kind>Succeeded", "<kind> <namespace>/<name> successfully completed."}},
		failed:    {{"Failed", "True", "<kind>Failed", "<kind> <name> is failed because 1 replica(s) failed."}},
	},
	times: map[state]string{running: "startTime", succeeded: "completionTime", failed: "completionTime"},
}

// mpi are the words of mpi-operator v0.8 (pkg/controller/mpi_job_controller.go, mpi_job_controller_status.go).
var mpi = &carrier{
	operator: "mpi-operator",
	suspend:  []string{"spec", "runPolicy", "suspend"},
	ttl:      []string{"spec", "runPolicy", "ttlSecondsAfterFinished"},
	conditions: map[state][]condition{
		created:   {{"Created", "True", "MPIJobCreated", "MPIJob <namespace>/<name> is created."}},
		suspended: {{"Suspended", "True", "MPIJobSuspended", "MPIJob suspended"}},
		resumed:   {{"Suspended", "False", "MPIJobResumed", "MPIJob resumed"}},
		running:   {{"Running", "True", "MPIJobRunning", "MPIJob <namespace>/<name> is running."}},
		succeeded: {{"Succeeded", "True", "MPIJobSucceeded", "MPIJob <namespace>/<name> successfully completed."}},
		failed:    {{"Failed", "True", "MPIJobFailed", "MPIJob <namespace>/<name> has failed"}},
	},
	times: map[state]string{running: "startTime", succeeded: "completionTime", failed: "completionTime"},
}

// rayJob are the words of KubeRay v1.6 (apis/ray/v1/rayjob_types.go).
var rayJob = &carrier{
	operator:  "kuberay",
	suspend:   []string{"spec", "suspend"},
	finalizer: "ray.io/rayjob-finalizer",
	fields: map[state]map[string]any{
		suspended: {"jobDeploymentStatus": "Suspended"},
		running:   {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"},
		succeeded: {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED"},
		failed:    {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED", "reason": "AppFailed"},
	},
	times: map[state]string{running: "startTime", succeeded: "endTime", failed: "endTime"},
}

// rayCluster are the words of KubeRay v1.6 (apis/ray/v1/raycluster_types.go).
var rayCluster = &carrier{
	operator: "kuberay",
	suspend:  []string{"spec", "suspend"},
	conditions: map[state][]condition{
		suspended: {{"RayClusterSuspended", "True", "RayClusterSuspended", ""}},
		resumed:   {{"RayClusterSuspended", "False", "RayClusterSuspended", ""}},
		running: {
			{"HeadPodReady", "True", "HeadPodRunningAndReady", ""},
			{"RayClusterProvisioned", "True", "AllPodRunningAndReadyFirstTime", "All Ray Pods are ready for the first time"},
		},
	},
	fields: map[state]map[string]any{suspended: {"state": "suspended"}, running: {"state": "ready"}},
}

// jobSet are the words of JobSet v0.12 (pkg/constants/constants.go).
var jobSet = &carrier{
	operator: "jobset",
	suspend:  []string{"spec", "suspend"},
	ttl:      []string{"spec", "ttlSecondsAfterFinished"},
	conditions: map[state][]condition{
		suspended: {{"Suspended", "True", "SuspendedJobs", "jobset is suspended"}},
		resumed:   {{"Suspended", "False", "ResumeJobs", "jobset is resumed"}},
		succeeded: {{"Completed", "True", "AllJobsCompleted", "jobset completed successfully"}},
		failed:    {{"Failed", "True", "FailedJobs", "jobset failed due to one or more job failures"}},
	},
	fields: map[state]map[string]any{
		succeeded: {"terminalState": "Completed"}, failed: {"terminalState": "Failed"},
	},
}

// trainJob are the words of Kubeflow Trainer v2.3 (pkg/controller/trainjob_controller.go); how it ends it takes from its
// JobSet.
var trainJob = &carrier{
	operator: "trainer",
	suspend:  []string{"spec", "suspend"},
	conditions: map[state][]condition{
		suspended: {{"Suspended", "True", "Suspended", "TrainJob is suspended"}},
		resumed:   {{"Suspended", "False", "Resumed", "TrainJob is resumed"}},
		succeeded: {{"Complete", "True", "AllJobsCompleted", "jobset completed successfully"}},
		failed:    {{"Failed", "True", "FailedJobs", "jobset failed due to one or more job failures"}},
	},
}

// job are the words of Kubernetes v1.36 (pkg/controller/job/job_controller.go).
var job = &carrier{
	operator: "kube-controller-manager",
	suspend:  []string{"spec", "suspend"},
	ttl:      []string{"spec", "ttlSecondsAfterFinished"},
	conditions: map[state][]condition{
		suspended: {{"Suspended", "True", "JobSuspended", "Job suspended"}},
		resumed:   {{"Suspended", "False", "JobResumed", "Job resumed"}},
		succeeded: {
			{"SuccessCriteriaMet", "True", "CompletionsReached", "Reached expected number of succeeded pods"},
			{"Complete", "True", "CompletionsReached", "Reached expected number of succeeded pods"},
		},
		failed: {
			{"FailureTarget", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit"},
			{"Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit"},
		},
	},
	fields: map[state]map[string]any{
		running:   {"active": int64(1), "ready": int64(1)},
		suspended: {"active": int64(0), "ready": int64(0)},
		succeeded: {"active": int64(0), "ready": int64(0), "succeeded": int64(1)},
		failed:    {"active": int64(0), "ready": int64(0), "failed": int64(1)},
	},
	times: map[state]string{running: "startTime", succeeded: "completionTime"},
}

func carrierOf(one *object) *carrier { return carriers[one.GroupVersionKind().GroupKind()] }

// says writes into the status what the operator says of a state that begins. A run that ends is not running any more.
func (carrier *carrier) says(one *object, now state, when string) {
	if carrier.is(one, now) {
		return
	}
	words := strings.NewReplacer("<kind>", one.GetKind(), "<namespace>", one.GetNamespace(), "<name>", one.GetName())
	for _, next := range carrier.conditions[now] {
		next.reason, next.message = words.Replace(next.reason), words.Replace(next.message)
		setCondition(one, next, when)
	}
	if ends := now == succeeded || now == failed || now == suspended; ends && conditionOf(one, "Running") != nil {
		conditionOf(one, "Running")["status"] = "False"
	}
	for name, value := range carrier.fields[now] {
		set(one, value, "status", name)
	}
	if field := carrier.times[now]; field != "" {
		set(one, when, "status", field)
	}
}

// is says whether the status has the words of a state.
func (carrier *carrier) is(one *object, asked state) bool {
	for _, wanted := range carrier.conditions[asked] {
		found := conditionOf(one, wanted.kind)
		if found == nil || textIn(found, "status") != wanted.status {
			return false
		}
	}
	for name, value := range carrier.fields[asked] {
		if mapIn(one.Object, "status")[name] != value {
			return false
		}
	}
	return len(carrier.conditions[asked])+len(carrier.fields[asked]) > 0
}

func (carrier *carrier) hasEnded(one *object) bool {
	return carrier.is(one, succeeded) || carrier.is(one, failed)
}

func conditionOf(one *object, kind string) map[string]any {
	for _, found := range mapsIn(one.Object, "status", "conditions") {
		if textIn(found, "type") == kind {
			return found
		}
	}
	return nil
}

func setCondition(one *object, next condition, when string) {
	found := conditionOf(one, next.kind)
	if found == nil {
		found = map[string]any{}
		set(one, append(listIn(one.Object, "status", "conditions"), found), "status", "conditions")
	}
	if textIn(found, "status") != next.status {
		found["lastTransitionTime"] = when
	}
	found["type"], found["status"], found["reason"], found["message"] = next.kind, next.status, next.reason, next.message
}
