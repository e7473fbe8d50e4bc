package limits

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
	"trainshed.dev/engine/admission/builtin"
	"trainshed.dev/engine/admission/judge"
)

func read(t testing.TB, text string) judge.Object {
	t.Helper()
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func decoded(t testing.TB, text string) judge.Object {
	t.Helper()
	object, refusals := builtin.Decode(read(t, text))
	if len(refusals) > 0 {
		t.Fatalf("%+v", refusals)
	}
	return object
}

// podWith has one container with some resources, and what else the case adds to the spec.
func podWith(resources string, added ...string) string {
	return `
apiVersion: v1
kind: Pod
metadata: {name: resnet, namespace: vision}
spec:
  containers:
  - name: torch
    image: torch
    resources: {` + resources + `}
` + strings.Join(added, "\n")
}

func claimOf(size, class string) string {
	return `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: imagenet, namespace: vision}
spec:
  storageClassName: ` + class + `
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: ` + size + `}}
`
}

func limitRange(t testing.TB, limits string) *judge.Surroundings {
	return judge.NewSurroundings("1.36", []judge.Object{read(t, `
apiVersion: v1
kind: LimitRange
metadata: {name: bounds, namespace: vision}
spec: {limits: [`+limits+`]}
`)})
}

func quotas(t testing.TB, specs ...string) *judge.Surroundings {
	var objects []judge.Object
	for _, spec := range specs {
		objects = append(objects, read(t, `
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: vision}
spec: {`+spec+`}
`))
	}
	return judge.NewSurroundings("1.36", objects)
}

func TestALimitRangeRefuses(t *testing.T) {
	for name, broken := range map[string]struct {
		limits, object, pointer, words string
	}{
		"a limit above the maximum": {
			"{type: Container, max: {cpu: 8}}", podWith("limits: {cpu: 16}, requests: {cpu: 1}"),
			"/spec/containers/0/resources/limits/cpu",
			`pods "resnet" is forbidden: maximum cpu usage per Container is 8, but limit is 16`,
		},
		"an extended resource above the maximum": {
			"{type: Container, max: {nvidia.com/gpu: 8}}", podWith("limits: {nvidia.com/gpu: 16}"),
			"/spec/containers/0/resources/limits/nvidia.com~1gpu",
			"maximum nvidia.com/gpu usage per Container is 8, but limit is 16",
		},
		"a request below the minimum": {
			"{type: Container, min: {memory: 1Gi}}", podWith("requests: {memory: 512Mi}"),
			"/spec/containers/0/resources/requests/memory",
			"minimum memory usage per Container is 1Gi, but request is 512Mi",
		},
		"a limit that is far above its request": {
			"{type: Container, maxLimitRequestRatio: {cpu: 2}}", podWith("limits: {cpu: 8}, requests: {cpu: 2}"),
			"/spec/containers/0/resources/limits/cpu",
			"cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000",
		},
		"no request where a ratio is bounded": {
			"{type: Container, maxLimitRequestRatio: {cpu: 2}}", podWith("requests: {memory: 1Gi}"),
			"/spec/containers/0/resources/requests/cpu",
			"cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
		},
		"the second container": {
			"{type: Container, max: {cpu: 8}}",
			podWith("limits: {cpu: 1}", "  - {name: sidecar, image: sidecar, resources: {limits: {cpu: 9}}}"),
			"/spec/containers/1/resources/limits/cpu", "but limit is 9",
		},
		"an init container": {
			"{type: Container, max: {cpu: 8}}",
			podWith("limits: {cpu: 1}", "  initContainers: [{name: fetch, image: fetch, resources: {limits: {cpu: 9}}}]"),
			"/spec/initContainers/0/resources/limits/cpu", "but limit is 9",
		},
		"all containers together": {
			"{type: Pod, max: {memory: 10Gi}}",
			podWith("limits: {memory: 6Gi}", "  - {name: sidecar, image: sidecar, resources: {limits: {memory: 6Gi}}}"),
			"/spec/containers/0/resources/limits/memory",
			"maximum memory usage per Pod is 10Gi, but limit is 12Gi",
		},
		"a claim that is too big": {
			"{type: PersistentVolumeClaim, max: {storage: 1Ti}}", claimOf("2Ti", "fast"),
			"/spec/resources/requests/storage",
			`persistentvolumeclaims "imagenet" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Ti, but request is 2Ti`,
		},
		"a claim that is too small": {
			"{type: PersistentVolumeClaim, min: {storage: 10Gi}}", claimOf("1Gi", "fast"),
			"/spec/resources/requests/storage", "minimum storage usage per PersistentVolumeClaim is 10Gi, but request is 1Gi",
		},
	} {
		t.Run(name, func(t *testing.T) {
			around := limitRange(t, broken.limits)
			object := decoded(t, broken.object)
			refusals := LimitRefusals(object, around)
			if len(refusals) != 1 || refusals[0].Judge != "limit-range" || refusals[0].Pointer != broken.pointer ||
				!strings.Contains(refusals[0].Message, broken.words) {
				t.Errorf("not %q at %s, but:\n%+v", broken.words, broken.pointer, refusals)
			}
		})
	}
}

func TestALimitRangeAcceptsWhatItFillsIn(t *testing.T) {
	around := limitRange(t, "{type: Container, default: {cpu: 2}, defaultRequest: {cpu: 1}, max: {cpu: 8}, maxLimitRequestRatio: {cpu: 2}}")
	pod := decoded(t, podWith(""))
	if refusals := LimitRefusals(pod, around); len(refusals) == 0 {
		t.Error("without the mutation the pod has no limit")
	}
	if err := Mutate(pod, around); err != nil {
		t.Fatal(err)
	}
	if limit, _ := judge.At(pod, "/spec/containers/0/resources/limits/cpu"); limit != "2" {
		t.Errorf("limit %v", limit)
	}
	if request, _ := judge.At(pod, "/spec/containers/0/resources/requests/cpu"); request != "1" {
		t.Errorf("request %v", request)
	}
	if refusals := LimitRefusals(pod, around); len(refusals) > 0 {
		t.Errorf("%+v", refusals)
	}
}

func TestAMaximumIsTheDefaultWhereThereIsNoOther(t *testing.T) {
	around := limitRange(t, "{type: Container, max: {memory: 4Gi}}")
	pod := decoded(t, podWith(""))
	if err := Mutate(pod, around); err != nil {
		t.Fatal(err)
	}
	if limit, _ := judge.At(pod, "/spec/containers/0/resources/limits/memory"); limit != "4Gi" {
		t.Errorf("limit %v", limit)
	}
}

func TestALimitRangeOfAnotherNamespaceSaysNothing(t *testing.T) {
	around := limitRange(t, "{type: Container, max: {cpu: 1}}")
	pod := decoded(t, strings.Replace(podWith("limits: {cpu: 16}"), "namespace: vision", "namespace: speech", 1))
	if refusals := LimitRefusals(pod, around); refusals != nil {
		t.Errorf("%+v", refusals)
	}
}

// workers are a workload of equal pods, whose template is written at /spec/template.
func workers(t testing.TB, count int, pod string) []judge.Child {
	return []judge.Child{{
		Role: "Worker", Count: count, Object: read(t, pod), Admitted: decoded(t, pod),
		Places: []judge.Place{{Child: "", Parent: "/spec/template"}},
	}}
}

func TestAQuotaRefusesAWorkloadThatItCanNeverHold(t *testing.T) {
	const gpus = "limits: {nvidia.com/gpu: 8, cpu: 32, memory: 64Gi}"
	for name, broken := range map[string]struct {
		quota, pod, pointer, words string
		count                      int
	}{
		"too many accelerators in all": {
			"hard: {requests.nvidia.com/gpu: 16}", podWith(gpus),
			"/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu",
			"exceeded quota: team, requested: requests.nvidia.com/gpu=24, used: requests.nvidia.com/gpu=0, limited: requests.nvidia.com/gpu=16",
			3,
		},
		"too much memory in requests": {
			"hard: {requests.memory: 100Gi}", podWith("requests: {memory: 64Gi}"),
			"/spec/template/spec/containers/0/resources/requests/memory",
			"exceeded quota: team, requested: requests.memory=128Gi, used: requests.memory=0, limited: requests.memory=100Gi",
			2,
		},
		"too much in limits": {
			"hard: {limits.cpu: 48}", podWith(gpus),
			"/spec/template/spec/containers/0/resources/limits/cpu", "requested: limits.cpu=64", 2,
		},
		"too many pods": {
			"hard: {pods: 1}", podWith(gpus), "/spec/template/spec", "requested: pods=2, used: pods=0, limited: pods=1", 2,
		},
		"a container that does not say its limit": {
			"hard: {limits.cpu: 48}",
			podWith("limits: {cpu: 1}", "  - {name: sidecar, image: sidecar, resources: {requests: {cpu: 1}}}"),
			"/spec/template/spec/containers/1/resources", "failed quota: team: must specify limits.cpu for: sidecar", 1,
		},
		"pods without any request in a quota for such": {
			"hard: {pods: 2}, scopes: [BestEffort]", podWith(""), "/spec/template/spec", "requested: pods=3", 3,
		},
		"pods of a priority that has a quota of its own": {
			"hard: {cpu: 10}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}",
			podWith("requests: {cpu: 32}", "  priorityClassName: high"),
			"/spec/template/spec/containers/0/resources/requests/cpu", "exceeded quota: team, requested: cpu=32", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			refusals := QuotaRefusals(workers(t, broken.count, broken.pod), "vision", quotas(t, broken.quota))
			if len(refusals) != 1 || refusals[0].Judge != "resource-quota" || refusals[0].Pointer != broken.pointer ||
				!strings.Contains(refusals[0].Message, broken.words) {
				t.Errorf("not %q at %s, but:\n%+v", broken.words, broken.pointer, refusals)
			}
		})
	}
}

func TestAQuotaAcceptsWhatItHoldsOrDoesNotConcern(t *testing.T) {
	for name, quota := range map[string]string{
		"just enough":             "hard: {requests.nvidia.com/gpu: 16, limits.cpu: 64, requests.memory: 128Gi, pods: 2}",
		"for pods without limits": "hard: {pods: 0}, scopes: [BestEffort]",
		"for another priority":    "hard: {cpu: 0}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}",
		"for other resources":     "hard: {requests.amd.com/gpu: 0, services: 0}",
	} {
		t.Run(name, func(t *testing.T) {
			pods := workers(t, 2, podWith("limits: {nvidia.com/gpu: 8, cpu: 32, memory: 64Gi}"))
			if refusals := QuotaRefusals(pods, "vision", quotas(t, quota)); len(refusals) > 0 {
				t.Errorf("%+v", refusals)
			}
		})
	}
}

func TestThePartsOfAWorkloadAreChargedTogether(t *testing.T) {
	pods := append(
		workers(t, 1, podWith("requests: {nvidia.com/gpu: 8}, limits: {nvidia.com/gpu: 8}")),
		workers(t, 2, podWith("requests: {nvidia.com/gpu: 8}, limits: {nvidia.com/gpu: 8}"))...,
	)
	refusals := QuotaRefusals(pods, "vision", quotas(t, "hard: {requests.nvidia.com/gpu: 16}"))
	if len(refusals) != 1 || !strings.Contains(refusals[0].Message,
		"requested: requests.nvidia.com/gpu=16, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=16") {
		t.Errorf("%+v", refusals)
	}
}

func TestALimitRangeSaysTheLimitsThatAQuotaDemands(t *testing.T) {
	objects := append(
		quotas(t, "hard: {limits.cpu: 4}").OfKind("ResourceQuota"),
		limitRange(t, "{type: Container, default: {cpu: 2}}").OfKind("LimitRange")...,
	)
	around := judge.NewSurroundings("1.36", objects)
	pods := workers(t, 2, podWith(""))
	if err := Mutate(pods[0].Admitted, around); err != nil {
		t.Fatal(err)
	}
	if refusals := QuotaRefusals(pods, "vision", around); len(refusals) > 0 {
		t.Errorf("%+v", refusals)
	}
	pods[0].Count = 3
	refusals := QuotaRefusals(pods, "vision", around)
	if len(refusals) != 1 || refusals[0].Pointer != "/spec/template/spec/containers/0/resources" {
		t.Errorf("%+v", refusals)
	}
}

func TestClaimsAndCountsOfANamespaceAreChargedTogether(t *testing.T) {
	const second = "/spec/resources/requests/storage"
	first, other := read(t, claimOf("600Gi", "fast")), read(t, claimOf("600Gi", "fast"))
	for name, broken := range map[string]struct{ quota, pointer, words string }{
		"storage":            {"hard: {requests.storage: 1Ti}", second, "requested: requests.storage=600Gi, used: requests.storage=600Gi, limited: requests.storage=1Ti"},
		"storage of a class": {"hard: {fast.storageclass.storage.k8s.io/requests.storage: 1Ti}", second, "limited: fast.storageclass.storage.k8s.io/requests.storage=1Ti"},
		"claims":             {"hard: {persistentvolumeclaims: 1}", "", "requested: persistentvolumeclaims=1, used: persistentvolumeclaims=1"},
		"claims, by count":   {"hard: {count/persistentvolumeclaims: 1}", "", "limited: count/persistentvolumeclaims=1"},
		"claims of a class":  {"hard: {fast.storageclass.storage.k8s.io/persistentvolumeclaims: 1}", "", "exceeded quota: team"},
	} {
		t.Run(name, func(t *testing.T) {
			refusals := NamespaceRefusals([]judge.Object{first, other}, quotas(t, broken.quota))
			if len(refusals[0]) != 0 || len(refusals[1]) != 1 || refusals[1][0].Pointer != broken.pointer ||
				!strings.Contains(refusals[1][0].Message, broken.words) {
				t.Errorf("%+v", refusals)
			}
		})
	}
	for _, quota := range []string{
		"hard: {requests.storage: 2Ti}", "hard: {slow.storageclass.storage.k8s.io/requests.storage: 1Gi}", "hard: {count/services: 0}",
	} {
		if refusals := NamespaceRefusals([]judge.Object{first, other}, quotas(t, quota)); len(refusals[1]) > 0 {
			t.Errorf("%s: %+v", quota, refusals)
		}
	}
}

func TestObjectsOfAnyKindAreCounted(t *testing.T) {
	job := read(t, `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune, namespace: vision}
`)
	service := read(t, `
apiVersion: v1
kind: Service
metadata: {name: tune, namespace: vision}
spec: {type: LoadBalancer, ports: [{port: 80}]}
`)
	around := quotas(t, "hard: {count/rayjobs.ray.io: 0, services.loadbalancers: 0}")
	refusals := NamespaceRefusals([]judge.Object{job, service}, around)
	if len(refusals[0]) != 1 || !strings.Contains(refusals[0][0].Message, "limited: count/rayjobs.ray.io=0") {
		t.Errorf("%+v", refusals[0])
	}
	if len(refusals[1]) != 1 || !strings.Contains(refusals[1][0].Message, "limited: services.loadbalancers=0") {
		t.Errorf("%+v", refusals[1])
	}
}

func BenchmarkALimitedPod(b *testing.B) {
	around := limitRange(b, "{type: Container, default: {cpu: 2}, max: {cpu: 8}}")
	pod := decoded(b, podWith(""))
	for b.Loop() {
		if err := Mutate(pod, around); err != nil {
			b.Fatal(err)
		}
		LimitRefusals(pod, around)
	}
}

func BenchmarkAWorkloadUnderAQuota(b *testing.B) {
	around := quotas(b, "hard: {requests.nvidia.com/gpu: 16, limits.cpu: 64}")
	pods := workers(b, 2, podWith("limits: {nvidia.com/gpu: 8, cpu: 32, memory: 64Gi}"))
	for b.Loop() {
		QuotaRefusals(pods, "vision", around)
	}
}
