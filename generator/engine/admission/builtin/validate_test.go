package builtin

import (
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func TestTheServersOwnValidationRefuses(t *testing.T) {
	indexed := edited(t, aJob, "parallelism: 2 => completionMode: Indexed\n  parallelism: 2")
	for name, broken := range map[string]struct{ text, edit, pointer, words string }{
		// Jobs
		"a job that always restarts": {
			aJob, "restartPolicy: Never => restartPolicy: Always", "/spec/template/spec/restartPolicy",
			`Required value: valid values: "OnFailure", "Never"`,
		},
		"a job without a restart policy": {
			aJob, "      restartPolicy: Never\n => ", "/spec/template/spec/restartPolicy", `valid values: "OnFailure", "Never"`,
		},
		"a failure policy on pods that restart": {
			edited(t, aJob, "restartPolicy: Never => restartPolicy: OnFailure"),
			"  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}]}\n",
			"/spec/template/spec/restartPolicy", `only "Never" is supported when podFailurePolicy is specified`,
		},
		"an exit code of zero": {
			aJob, "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [0, 1]}}]}\n",
			"/spec/podFailurePolicy/rules/0/onExitCodes/values/0", "must not be 0 for the In operator",
		},
		"exit codes out of order": {
			aJob, "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [2, 1]}}]}\n",
			"/spec/podFailurePolicy/rules/0/onExitCodes/values", "must be ordered",
		},
		"a rule of both kinds": {
			aJob, "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}]}\n",
			"/spec/podFailurePolicy/rules/0", "specifying both OnExitCodes and OnPodConditions is not supported",
		},
		"an unknown container in a rule": {
			aJob, "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: main, operator: In, values: [1]}}]}\n",
			"/spec/podFailurePolicy/rules/0/onExitCodes/containerName", "must be one of the container or initContainer names",
		},
		"failing an index without a limit for each": {
			indexed, "  podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [1]}}]}\n",
			"/spec/podFailurePolicy/rules/0/action", "requires the backoffLimitPerIndex to be set",
		},
		"a replacement policy against the failure policy": {
			aJob, "  podReplacementPolicy: TerminatingOrFailed\n  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]}\n",
			"/spec/podReplacementPolicy", `supported values: "Failed"`,
		},
		"a limit for each index without indexes": {
			aJob, "  backoffLimitPerIndex: 1\n", "/spec/backoffLimitPerIndex", "requires indexed completion mode",
		},
		"a success policy without indexes": {
			aJob, "  successPolicy: {rules: [{succeededCount: 1}]}\n", "/spec/successPolicy", "requires indexed completion mode",
		},
		"a success policy of more than there are": {
			indexed, "  successPolicy: {rules: [{succeededCount: 3}]}\n", "/spec/successPolicy/rules/0/succeededCount",
			"must be less than or equal to 2",
		},
		"indexes without completions": {
			indexed, "  completions: 2\n => ", "/spec/completions", "when completion mode is Indexed",
		},
		"an indexed name that is too long": {
			edited(t, edited(t, indexed, "completions: 2 => completions: 1000"), "parallelism: 2 => parallelism: 1000"),
			"name: resnet => name: " + strings.Repeat("a", 60), "/metadata/name", "will not able to create pod with invalid DNS label",
		},
		"a manager without a domain": {
			aJob, "  managedBy: kueue\n", "/spec/managedBy", "must be a domain-prefixed path",
		},
		"a negative deadline": {
			aJob, "  activeDeadlineSeconds: -1\n", "/spec/activeDeadlineSeconds", "must be greater than or equal to 0",
		},
		"a selector of one's own": {
			aJob, "  selector: {matchLabels: {a: b}}\n", "/spec/selector", "not auto-generated",
		},
		// CronJobs
		"a name of 53": {
			aCronJob, "name: nightly => name: " + strings.Repeat("a", 53), "/metadata/name", "must be no more than 52 characters",
		},
		"a time zone that is none": {
			aCronJob, "Europe/Berlin => Europe/Atlantis", "/spec/timeZone", "unknown time zone Europe/Atlantis",
		},
		"a time zone in the schedule": {
			aCronJob, "0 3 * * * => TZ=UTC 0 3 * * *", "/spec/schedule", "cannot use TZ or CRON_TZ in schedule",
		},
		"a schedule of six fields": {
			aCronJob, "0 3 * * * => 0 0 3 * * *", "/spec/schedule", "expected exactly 5 fields",
		},
		"a policy that is none": {
			aCronJob, "  concurrencyPolicy: Never\n", "/spec/concurrencyPolicy", `supported values: "Allow", "Forbid", "Replace"`,
		},
		"a manual selector in the template": {
			aCronJob, "completionMode: Indexed => manualSelector: true\n      completionMode: Indexed", "/spec/jobTemplate/spec/manualSelector", "Unsupported value: true",
		},
		// Pods and templates
		"a claim that is mounted but not declared": {
			aJob, "image: torch => volumeMounts: [{name: data, mountPath: /data}]\n        image: torch",
			"/spec/template/spec/containers/0/volumeMounts/0/name", `Not found: "data"`,
		},
		"two containers of one name": {
			aPod, "  - {name: torch, image: torch}\n", "/spec/containers/1/name", `Duplicate value: "torch"`,
		},
		"requests above limits": {
			aPod, "limits: {nvidia.com/gpu: 8} => limits: {cpu: 1}, requests: {cpu: 2}",
			"/spec/containers/0/resources/requests/cpu", "must be less than or equal to cpu limit of 1",
		},
		"an accelerator that is asked for but not limited": {
			aPod, "limits: {nvidia.com/gpu: 8} => requests: {nvidia.com/gpu: 8}",
			"/spec/containers/0/resources/limits", "Limit must be set for non overcommitable resources",
		},
		"half an accelerator": {
			aPod, "nvidia.com/gpu: 8 => nvidia.com/gpu: 500m", "/spec/containers/0/resources/limits/nvidia.com~1gpu", "must be an integer",
		},
		"no image": {
			aPod, "    image: torch\n => ", "/spec/containers/0/image", "Required value",
		},
		"a bad environment name": {
			aPod, `image: torch => env: [{name: "A=B", value: x}]`, "/spec/containers/0/env/0/name", "Invalid value",
		},
		"a toleration that is contradictory": {
			aPod, "  tolerations: [{operator: Exists, key: gpu, value: 'true'}]\n", "/spec/tolerations/0/operator",
			"value must be empty when `operator` is 'Exists'",
		},
		"an affinity operator that is none": {
			aPod, "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Equals, values: [b]}]}]}}}\n",
			"/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions/0/operator", "not a valid selector operator",
		},
		// Others
		"a name that is no name": {
			aClaim, "name: imagenet => name: ImageNet", "/metadata/name", "a lowercase RFC 1123 subdomain",
		},
		"a name that a service cannot have": {
			aService, "name: rendezvous => name: torch.rendezvous", "/metadata/name", "must not contain dots",
		},
		"a label that is too long": {
			aClaim, "namespace: vision => namespace: vision, labels: {run: " + strings.Repeat("a", 64) + "}", "/metadata/labels/run",
			"must be no more than 63 bytes",
		},
		"a claim without a size": {
			aClaim, "requests: {storage: 100Gi} => ", "/spec/resources/storage", "Required value",
		},
		"a claim without an access mode": {
			aClaim, "[ReadWriteMany] => []", "/spec/accessModes", "at least 1 access mode is required",
		},
		"a service with ports of no name": {
			aService, "[{name: torch, port: 29500}] => [{port: 1}, {port: 2}]", "/spec/ports/0/name", "Required value",
		},
		"a selector that its template does not have": {
			aDeployment, "labels: {app: tensorboard} => labels: {app: board}", "/spec/template/metadata/labels",
			"`selector` does not match template `labels`",
		},
		"a budget of both": {
			others["PodDisruptionBudget"], "maxUnavailable: 0 => maxUnavailable: 0, minAvailable: 1", "/spec",
			"minAvailable and maxUnavailable cannot be both set",
		},
		"a rule without verbs": {
			others["Role"], "verbs: [get] => verbs: []", "/rules/0/verbs", "verbs must contain at least one value",
		},
		"a class with the prefix of the system": {
			others["PriorityClass"], "name: high => name: system-high", "/metadata/name", "priority class names with 'system-' prefix are reserved",
		},
		"a network policy of a bad port": {
			others["NetworkPolicy"], "port: 29500 => port: 295000", "/spec/ingress/0/ports/0/port", "must be between 1 and 65535",
		},
		"a quota of a fraction of a pod": {
			others["ResourceQuota"], "requests.nvidia.com/gpu: 8 => pods: 500m", "/spec/hard/pods", "must be an integer",
		},
		"a webhook without a side effect class": {
			others["ValidatingWebhookConfiguration"], "sideEffects: None, => ", "/webhooks/0/sideEffects", "Required value",
		},
		"a policy whose CEL does not compile": {
			others["ValidatingAdmissionPolicy"], "object.spec.parallelism < 100 => object.spec.parallelism <", "/spec/validations/0/expression", "compilation failed",
		},
		"a definition that is not named after its kind": {
			others["CustomResourceDefinition"], "runs.example.com => run.example.com", "/metadata/name", `must be spec.names.plural+"."+spec.group`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, created(t, edited(t, broken.text, broken.edit)), "kubernetes", broken.pointer, broken.words)
		})
	}
}

func TestACronJobMayHaveANameOf52(t *testing.T) {
	if refusals := created(t, edited(t, aCronJob, "name: nightly => name: "+strings.Repeat("a", 52))); len(refusals) > 0 {
		t.Errorf("%+v", refusals)
	}
}

func TestPriorityClassesOfPodsMustExist(t *testing.T) {
	class := read(t, others["PriorityClass"])
	low := edited(t, aPod, "  priorityClassName: low\n")
	expect(t, created(t, low, class), "kubernetes", "/spec/priorityClassName",
		`pods "resnet-0" is forbidden: no PriorityClass with name low was found`)
	for _, known := range []string{"high", "system-node-critical"} {
		if refusals := created(t, edited(t, aPod, "  priorityClassName: "+known+"\n"), class); len(refusals) > 0 {
			t.Errorf("%s: %+v", known, refusals)
		}
	}
	expect(t, created(t, edited(t, aPod, "  priorityClassName: high\n  priority: 7\n"), class), "kubernetes", "/spec/priority",
		"the integer value of priority (7) must not be provided in pod spec")
}

func TestOnlyOnePriorityClassIsTheDefault(t *testing.T) {
	first := read(t, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1, globalDefault: true}")
	second := edited(t, others["PriorityClass"], "value: 1000 => value: 1000, globalDefault: true")
	expect(t, created(t, second, first, read(t, second)), "kubernetes", "/globalDefault",
		"PriorityClass low is already marked as default. Only one default can exist")
	if refusals := created(t, second, read(t, second)); len(refusals) > 0 {
		t.Errorf("the only one is refused: %+v", refusals)
	}
}

func TestARuntimeClassMustExistWhereAnyIsKnown(t *testing.T) {
	gvisor := edited(t, aPod, "  runtimeClassName: gvisor\n")
	expect(t, created(t, gvisor, read(t, others["RuntimeClass"])), "kubernetes", "/spec/runtimeClassName",
		`pod rejected: RuntimeClass "gvisor" not found`)
	if refusals := created(t, gvisor); len(refusals) > 0 {
		t.Errorf("no class of the cluster is known: %+v", refusals)
	}
}

func TestWordsAreNotTheWholeTemplate(t *testing.T) {
	changed := edited(t, aJob, "image: torch => image: other")
	for _, refusal := range changes(t, aJob, changed) {
		if len(refusal.Message) > longest+len("spec.template: ") || !strings.HasSuffix(refusal.Message, "field is immutable") {
			t.Error(refusal.Message)
		}
	}
}

func changes(t testing.TB, before, after string) []judge.Refusal {
	t.Helper()
	return Validate(judge.Review{
		Object: decoded(t, after), Before: decoded(t, before), Around: judge.NewSurroundings("1.36", nil),
	})
}
