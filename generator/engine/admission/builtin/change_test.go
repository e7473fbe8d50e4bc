package builtin

import "testing"

func TestChangesThatTheServerRefuses(t *testing.T) {
	binding := others["RoleBinding"]
	for name, broken := range map[string]struct{ text, edit, pointer, words string }{
		"a job's image": {
			aJob, "image: torch => image: other", "/spec/template/spec/containers/0/image", "field is immutable",
		},
		"a job's memory": {
			aJob, "memory: 64Gi => memory: 128Gi", "/spec/template/spec/containers/0/resources/limits/memory", "field is immutable",
		},
		"a job's node selector, for it has started": {
			aJob, "restartPolicy: Never => nodeSelector: {pool: h100}\n      restartPolicy: Never", "/spec/template/spec/nodeSelector", "field is immutable",
		},
		"a job's completions": {aJob, "completions: 2 => completions: 4", "/spec/completions", "field is immutable"},
		"a job's completion mode": {
			aJob, "parallelism: 2 => completionMode: Indexed\n  parallelism: 2", "/spec/completionMode", "field is immutable",
		},
		"a job's failure policy": {
			aJob, "  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1]}}]}\n",
			"/spec/podFailurePolicy", "field is immutable",
		},
		"a job's manager": {aJob, "  managedBy: kueue.x-k8s.io/multikueue\n", "/spec/managedBy", "field is immutable"},
		"a claim's class": {
			aClaim, "storageClassName: fast => storageClassName: slow", "/spec/storageClassName", "spec is immutable after creation",
		},
		"a claim's access mode": {
			aClaim, "ReadWriteMany => ReadWriteOnce", "/spec/accessModes/0", "spec is immutable after creation",
		},
		"a claim that shrinks": {
			aClaim, "100Gi => 50Gi", "/spec/resources/requests/storage", "field can not be less than status.capacity",
		},
		"a config map that is immutable": {
			others["ConfigMap"], "train.py: pass => train.py: print()", "/data/train.py", "field is immutable when `immutable` is set",
		},
		"a service that loses its address": {
			aService, "  clusterIP: None\n", "/spec/clusterIP", "may not change once set",
		},
		"the role of a binding":      {binding, "kind: Role, name: r => kind: Role, name: other", "/roleRef/name", "cannot change roleRef"},
		"the parameters of a class":  {others["StorageClass"], "tier: gold => tier: silver", "/parameters/tier", "field is immutable"},
		"the provisioner of a class": {others["StorageClass"], "csi.example.com => other.example.com", "/provisioner", "field is immutable"},
		"the value of a priority":    {others["PriorityClass"], "value: 1000 => value: 1001", "/value", "may not be changed in an update"},
		"the selector of a deployment": {
			edited(t, aDeployment, "labels: {app: tensorboard} => labels: {app: tensorboard, team: vision}"),
			"matchLabels: {app: tensorboard} => matchLabels: {app: tensorboard, team: vision}", "/spec/selector/matchLabels/team", "field is immutable",
		},
		"the claims of a stateful set": {
			aStatefulSet, "storage: 1Gi => storage: 2Gi", "/spec/volumeClaimTemplates/0/spec/resources/requests/storage", "updates to statefulset spec for fields other than",
		},
		"the node of a pod": {aPod, "  nodeName: n1\n", "/spec/nodeName", "pod updates may not change fields other than"},
		"the handler of a runtime class": {
			others["RuntimeClass"], "handler: nvidia => handler: runc", "/handler", "field is immutable",
		},
		"the scope of a definition": {
			others["CustomResourceDefinition"], "Namespaced => Cluster", "/spec/scope", "field is immutable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, changes(t, broken.text, edited(t, broken.text, broken.edit)), "change", broken.pointer, broken.words)
		})
	}
}

func TestChangesThatTheServerAccepts(t *testing.T) {
	for name, sound := range map[string]struct{ text, edit string }{
		"a job's parallelism":             {aJob, "parallelism: 2 => parallelism: 1"},
		"a job's deadline":                {aJob, "  activeDeadlineSeconds: 3600\n"},
		"a job's label":                   {aJob, "name: resnet => labels: {a: b}, name: resnet"},
		"a claim that grows":              {aClaim, "100Gi => 200Gi"},
		"a claim's label":                 {aClaim, "name: imagenet => labels: {a: b}, name: imagenet"},
		"a cron job's template":           {aCronJob, "image: torch => image: other"},
		"a cron job's schedule":           {aCronJob, "0 3 * * * => 0 4 * * *"},
		"a deployment's image":            {aDeployment, "image: tensorboard => image: other"},
		"a stateful set's replicas":       {aStatefulSet, "replicas: 3 => replicas: 5"},
		"a service's port":                {aService, "port: 29500 => port: 29501"},
		"a service that becomes external": {aService, "  type: ExternalName\n  externalName: a.example.com\n"},
		"a binding's subjects":            {others["RoleBinding"], "namespace: b => namespace: c"},
		"a secret that is not immutable":  {others["Secret"], "token: old => token: new"},
		"a pod's image":                   {aPod, "image: torch => image: other"},
		"a class that expands":            {others["StorageClass"], "parameters: => allowVolumeExpansion: true, parameters:"},
	} {
		t.Run(name, func(t *testing.T) {
			if refusals := changes(t, sound.text, edited(t, sound.text, sound.edit)); len(refusals) > 0 {
				t.Errorf("%+v", refusals)
			}
		})
	}
}

func TestAnIndexedJobMayGrowAsAWhole(t *testing.T) {
	small := edited(t, aJob, "parallelism: 2 => completionMode: Indexed\n  parallelism: 2")
	grown := edited(t, edited(t, small, "parallelism: 2 => parallelism: 4"), "completions: 2 => completions: 4")
	if refusals := changes(t, small, grown); len(refusals) > 0 {
		t.Errorf("%+v", refusals)
	}
}

func TestAHeadlessServiceStaysSoWhenNothingIsSaid(t *testing.T) {
	if refusals := changes(t, edited(t, aService, "  clusterIP: None\n"), aService); len(refusals) > 0 {
		t.Errorf("the server keeps the address that it has: %+v", refusals)
	}
}
