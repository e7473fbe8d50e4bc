package builtin

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
	"trainshed.dev/engine/admission/judge"
)

// read gives an object as the engine gets one: numbers are not yet of a type.
func read(t testing.TB, text string) judge.Object {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var object judge.Object
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		t.Fatal(err)
	}
	return object
}

func decoded(t testing.TB, text string) judge.Object {
	t.Helper()
	object, refusals := Decode(read(t, text))
	if len(refusals) > 0 {
		t.Fatalf("it cannot be decoded: %+v", refusals)
	}
	return object
}

// created gives what is said about an object that is created.
func created(t testing.TB, text string, around ...judge.Object) []judge.Refusal {
	t.Helper()
	object, refusals := Decode(read(t, text))
	if len(refusals) > 0 {
		return refusals
	}
	return Validate(judge.Review{Object: object, Around: judge.NewSurroundings("1.36", around)})
}

// expect wants one refusal at a place with some words.
func expect(t *testing.T, refusals []judge.Refusal, name, pointer, words string) {
	t.Helper()
	for _, refusal := range refusals {
		if refusal.Judge == name && refusal.Pointer == pointer && strings.Contains(refusal.Message, words) {
			return
		}
	}
	t.Errorf("%s does not say %q at %s, but:\n%+v", name, words, pointer, refusals)
}

// edited is a text with one change: "this => that", or what is added at its end.
func edited(t testing.TB, text, edit string) string {
	t.Helper()
	this, that, replaces := strings.Cut(edit, " => ")
	if !replaces {
		return text + edit
	}
	if !strings.Contains(text, this) {
		t.Fatalf("%q is not in the text", this)
	}
	return strings.Replace(text, this, that, 1)
}

const aJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: resnet, namespace: vision}
spec:
  parallelism: 2
  completions: 2
  template:
    metadata: {labels: {team: vision}}
    spec:
      restartPolicy: Never
      containers:
      - name: torch
        image: torch
        resources: {limits: {nvidia.com/gpu: 8, memory: 64Gi}}
`

const aCronJob = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: vision}
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  jobTemplate:
    metadata: {labels: {team: vision}}
    spec:
      completionMode: Indexed
      completions: 12
      parallelism: 4
      template:
        spec:
          restartPolicy: Never
          containers: [{name: torch, image: torch}]
`

const aClaim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: imagenet, namespace: vision}
spec:
  storageClassName: fast
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: 100Gi}}
`

const aService = `
apiVersion: v1
kind: Service
metadata: {name: rendezvous, namespace: vision}
spec:
  selector: {app: resnet}
  ports: [{name: torch, port: 29500}]
`

const aPod = `
apiVersion: v1
kind: Pod
metadata: {name: resnet-0, namespace: vision}
spec:
  containers:
  - name: torch
    image: torch
    resources: {limits: {nvidia.com/gpu: 8}}
`

const aDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: tensorboard, namespace: vision}
spec:
  replicas: 3
  selector: {matchLabels: {app: tensorboard}}
  template:
    metadata: {labels: {app: tensorboard}}
    spec: {containers: [{name: tensorboard, image: tensorboard}]}
`

const aStatefulSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: etcd, namespace: vision}
spec:
  replicas: 3
  serviceName: etcd
  selector: {matchLabels: {app: etcd}}
  template:
    metadata: {labels: {app: etcd}}
    spec: {containers: [{name: etcd, image: etcd, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

const aDaemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: exporter, namespace: vision}
spec:
  selector: {matchLabels: {app: exporter}}
  template:
    metadata: {labels: {app: exporter}}
    spec: {containers: [{name: exporter, image: exporter}]}
`

// others are sound objects of the remaining kinds that a platform of training jobs has.
var others = map[string]string{
	"Namespace":      "{apiVersion: v1, kind: Namespace, metadata: {name: vision}}",
	"ConfigMap":      "{apiVersion: v1, kind: ConfigMap, metadata: {name: code}, data: {train.py: pass}, immutable: true}",
	"Secret":         "{apiVersion: v1, kind: Secret, metadata: {name: token}, stringData: {token: old}}",
	"ServiceAccount": "{apiVersion: v1, kind: ServiceAccount, metadata: {name: trainer}}",
	"PodTemplate":    "{apiVersion: v1, kind: PodTemplate, metadata: {name: t}, template: {spec: {containers: [{name: a, image: a}]}}}",
	"PersistentVolume": `{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk}, spec: {capacity: {storage: 1Ti},
		accessModes: [ReadWriteMany], nfs: {server: nas, path: /data}}}`,
	"LimitRange":    "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: Container, max: {cpu: 8}}]}}",
	"ResourceQuota": "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {requests.nvidia.com/gpu: 8}}}",
	"PriorityClass": "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}",
	"ReplicationController": `{apiVersion: v1, kind: ReplicationController, metadata: {name: r}, spec: {selector: {a: b},
		template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}}`,
	"ReplicaSet": `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: 2, selector: {matchLabels: {a: b}},
		template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}}`,
	"PodDisruptionBudget": `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: p},
		spec: {maxUnavailable: 0, selector: {matchLabels: {a: b}}}}`,
	"NetworkPolicy": `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: mesh},
		spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 29500}]}]}}`,
	"Ingress": `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i},
		spec: {defaultBackend: {service: {name: s, port: {number: 80}}}}}`,
	"Role": `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r},
		rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
	"ClusterRole": "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: []}",
	"RoleBinding": `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r},
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: a, namespace: b}]}`,
	"ClusterRoleBinding": `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: r},
		roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}, subjects: []}`,
	"StorageClass": "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: csi.example.com, parameters: {tier: gold}}",
	"CSIDriver":    "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}, spec: {attachRequired: false}}",
	"HorizontalPodAutoscaler": `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h},
		spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}`,
	"Lease":        "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: {leaseDurationSeconds: 15}}",
	"RuntimeClass": "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}",
	"ValidatingWebhookConfiguration": `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: w},
		webhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1],
		clientConfig: {service: {name: s, namespace: vision}}, rules: [{apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE]}]}]}`,
	"ValidatingAdmissionPolicy": `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p},
		spec: {matchConstraints: {resourceRules: [{apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE]}]},
		validations: [{expression: "object.spec.parallelism < 100"}]}}`,
	"ValidatingAdmissionPolicyBinding": `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: b},
		spec: {policyName: p, validationActions: [Deny]}}`,
	"ResourceClaimTemplate": `{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: gpu},
		spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}}`,
	"CustomResourceDefinition": `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: runs.example.com},
		spec: {group: example.com, scope: Namespaced, names: {plural: runs, singular: run, kind: Run, listKind: RunList},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`,
}

func TestSoundObjectsAreAccepted(t *testing.T) {
	sound := maps.Clone(others)
	for name, text := range map[string]string{
		"Job": aJob, "CronJob": aCronJob, "PersistentVolumeClaim": aClaim, "Service": aService, "Pod": aPod,
		"Deployment": aDeployment, "StatefulSet": aStatefulSet, "DaemonSet": aDaemonSet,
	} {
		sound[name] = text
	}
	for _, name := range slices.Sorted(maps.Keys(sound)) {
		t.Run(name, func(t *testing.T) {
			if refusals := created(t, sound[name]); len(refusals) > 0 {
				t.Errorf("%+v", refusals)
			}
			object := decoded(t, sound[name])
			if refusals := Validate(judge.Review{Object: object, Before: object}); len(refusals) > 0 {
				t.Errorf("unchanged, it is refused: %+v", refusals)
			}
		})
	}
}

func TestValidationLeavesTheReviewAsItWas(t *testing.T) {
	object := decoded(t, aJob)
	before, _ := json.Marshal(object)
	review := judge.Review{Object: object, Before: object, Around: judge.NewSurroundings("1.36", nil)}
	Validate(review)
	if _, err := Children(review); err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(object); !bytes.Equal(before, after) {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
}

func BenchmarkSmallObject(b *testing.B) {
	object := read(b, aClaim)
	for b.Loop() {
		plain, _ := Decode(object)
		Validate(judge.Review{Object: plain})
	}
}

func BenchmarkPod(b *testing.B) {
	object, around := read(b, aPod), judge.NewSurroundings("1.36", nil)
	for b.Loop() {
		plain, _ := Decode(object)
		Validate(judge.Review{Object: plain, Around: around})
	}
}

func BenchmarkJobWithItsPod(b *testing.B) {
	object, around := read(b, aJob), judge.NewSurroundings("1.36", nil)
	for b.Loop() {
		plain, _ := Decode(object)
		review := judge.Review{Object: plain, Around: around}
		Validate(review)
		children, err := Children(review)
		if err != nil {
			b.Fatal(err)
		}
		plain, _ = Decode(children[0].Object)
		Validate(judge.Review{Object: plain, Around: around})
	}
}

func BenchmarkChange(b *testing.B) {
	object := decoded(b, aJob)
	for b.Loop() {
		Validate(judge.Review{Object: object, Before: object})
	}
}
