package kuberay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

const rayJob = `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tower, namespace: team}
spec:
  entrypoint: python train.py
  submissionMode: K8sJobMode
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    rayVersion: 2.52.0
    headGroupSpec:
      rayStartParams: {num-cpus: "0"}
      template: {spec: {containers: [{name: ray-head, image: ray, env: [{name: HOME, value: /tmp}]}]}}
    workerGroupSpecs:
    - groupName: cpu
      replicas: 1
      minReplicas: 1
      maxReplicas: 2
      template: {spec: {containers: [{name: ray-worker, image: ray}]}}
    - groupName: gpu
      replicas: 1
      minReplicas: 1
      maxReplicas: 3
      numOfHosts: 2
      template: {spec: {containers: [{name: ray-worker, image: ray}]}}
`

func read(t testing.TB, text string) judge.Object {
	t.Helper()
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func put(t testing.TB, object judge.Object, pointer, text string) {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(pointer, "/")
	parent, _ := judge.At(object, pointer[:at])
	holder, isMap := parent.(map[string]any)
	if !isMap {
		t.Fatalf("nothing stands at %s", pointer[:at])
	}
	if value == nil {
		delete(holder, judge.Steps(pointer)[len(judge.Steps(pointer))-1])
		return
	}
	holder[judge.Steps(pointer)[len(judge.Steps(pointer))-1]] = value
}

// refusal is the one that an object with these changes gets.
func refusal(t testing.TB, object judge.Object, changes map[string]string) judge.Refusal {
	t.Helper()
	for pointer, value := range changes {
		put(t, object, pointer, value)
	}
	found, err := refusals(judge.Review{Object: object})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("got %d refusals: %v", len(found), found)
	}
	return found[0]
}

const (
	cluster = "/spec/rayClusterSpec"
	head    = cluster + "/headGroupSpec"
	headPod = head + "/template/spec"
	gpu     = cluster + "/workerGroupSpecs/1"
)

func TestAWrongRayJobIsRefusedAtTheVeryWord(t *testing.T) {
	cases := map[string]struct {
		changes        map[string]string
		pointer, words string
	}{
		"a name too long": {map[string]string{"/metadata/name": strings.Repeat("a", 48)}, "/metadata/name",
			"no more than 47 characters"},
		"a name not of DNS": {map[string]string{"/metadata/name": "A_b"}, "/metadata/name", "valid DNS1035 label"},
		"suspended, not shut down": {map[string]string{"/spec/suspend": "true",
			"/spec/shutdownAfterJobFinishes": "false"},
			"/spec/suspend", "not allowed to be suspended"},
		"a negative time to live": {map[string]string{"/spec/ttlSecondsAfterFinished": "-1"},
			"/spec/ttlSecondsAfterFinished", "non-negative"},
		"a time to live, not shut down": {map[string]string{"/spec/ttlSecondsAfterFinished": "5",
			"/spec/shutdownAfterJobFinishes": "false"},
			"/spec/ttlSecondsAfterFinished", "cannot have TTLSecondsAfterFinished"},
		"no cluster": {map[string]string{cluster: "null"},
			"/spec", "one of RayClusterSpec or ClusterSelector"},
		"a selector without a name": {map[string]string{"/spec/clusterSelector": "{team: a}"},
			"/spec/clusterSelector/team", "should not be empty"},
		"retries of a selected cluster": {map[string]string{"/spec/clusterSelector": "{ray.io/cluster: a}",
			"/spec/backoffLimit": "2"},
			"/spec/backoffLimit", "incompatible with ClusterSelector"},
		"retries by hand": {map[string]string{"/spec/submissionMode": "InteractiveMode", "/spec/backoffLimit": "2"},
			"/spec/backoffLimit", "incompatible with InteractiveMode"},
		"a submitter beside a sidecar": {map[string]string{"/spec/submissionMode": "SidecarMode",
			"/spec/submitterPodTemplate": "{spec: {containers: [{name: a}]}}"},
			"/spec/submissionMode", "doesn't support SubmitterPodTemplate"},
		"a sidecar in a head that restarts": {map[string]string{"/spec/submissionMode": "SidecarMode",
			headPod + "/restartPolicy": "Always"},
			headPod + "/restartPolicy", "Never or unset when using SidecarMode"},
		"a runtime environment that is no YAML": {map[string]string{"/spec/runtimeEnvYAML": `"a: [b"`},
			"/spec/runtimeEnvYAML", "yaml"},
		"a deadline of none": {map[string]string{"/spec/activeDeadlineSeconds": "0"},
			"/spec/activeDeadlineSeconds", "positive integer"},
		"a deadline to start of none": {map[string]string{"/spec/preRunningDeadlineSeconds": "0"},
			"/spec/preRunningDeadlineSeconds", "positive integer"},
		"negative retries": {map[string]string{"/spec/backoffLimit": "-1"},
			"/spec/backoffLimit", "positive integer"},
		"an empty deletion strategy": {map[string]string{"/spec/deletionStrategy": "{}"},
			"/spec/deletionStrategy", "cannot be empty"},
		"deletion of one outcome": {map[string]string{"/spec/deletionStrategy": "{onSuccess: {policy: DeleteCluster}}"},
			"/spec/deletionStrategy/onSuccess", "must be set"},
		"rules and shutting down": {map[string]string{"/spec/deletionStrategy": "{deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 1}}]}"},
			"/spec/shutdownAfterJobFinishes", "mutually exclusive"},
		"one rule twice": {map[string]string{"/spec/shutdownAfterJobFinishes": "false",
			"/spec/deletionStrategy": "{deletionRules: [{policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 1}}, {policy: DeleteSelf, condition: {jobStatus: FAILED, ttlSeconds: 2}}]}"},
			"/spec/deletionStrategy/deletionRules/1/policy", "duplicate rule"},
		"both resources": {map[string]string{head + "/resources": "{CPU: '1'}"},
			head + "/rayStartParams/num-cpus", "both rayStartParams and Resources"},
		"labels as parameters": {map[string]string{head + "/rayStartParams": "{labels: a=b}"},
			head + "/rayStartParams/labels", "not supported for Head group"},
		"a label that is none": {map[string]string{head + "/labels": "{zone: 'not a label!'}"},
			head + "/labels/zone", "invalid label value"},
		"no head container": {map[string]string{headPod + "/containers": "[]"},
			headPod + "/containers", "headGroupSpec should have at least one container"},
		"less than the least": {map[string]string{gpu + "/minReplicas": "4"},
			gpu + "/minReplicas", "worker group gpu has minReplicas 4 greater than maxReplicas 3"},
		"no bound": {map[string]string{gpu + "/maxReplicas": "null"},
			gpu, "worker group gpu must set both"},
		"a negative bound": {map[string]string{gpu + "/minReplicas": "-2"},
			gpu + "/minReplicas", "negative minReplicas -2"},
		"idle without an autoscaler": {map[string]string{gpu + "/idleTimeoutSeconds": "5"},
			gpu + "/idleTimeoutSeconds", "worker group gpu"},
		"suspended under an autoscaler": {map[string]string{cluster + "/enableInTreeAutoscaling": "true",
			gpu + "/suspend": "true"},
			gpu + "/suspend", "worker group gpu cannot be suspended"},
		"restarts under the second autoscaler": {map[string]string{cluster + "/enableInTreeAutoscaling": "true",
			cluster + "/autoscalerOptions": "{version: v2}", gpu + "/template/spec/restartPolicy": "Always"},
			gpu + "/template/spec/restartPolicy", "restartPolicy for worker group gpu"},
		"an address without fault tolerance": {map[string]string{headPod + "/containers": "[{name: ray-head, image: ray, env: [{name: RAY_REDIS_ADDRESS, value: redis}]}]"},
			headPod + "/containers/0/env/0/name", "implicitly enables GCS fault tolerance"},
		"a password in two ways": {map[string]string{cluster + "/gcsFaultToleranceOptions": "{redisAddress: redis}",
			head + "/rayStartParams": "{redis-password: a}"},
			head + "/rayStartParams/redis-password", "cannot set `redis-password`"},
		"a token for an old Ray": {map[string]string{cluster + "/rayVersion": "2.50.0",
			cluster + "/authOptions": "{mode: token}"},
			cluster + "/authOptions/mode", "minimum Ray version is 2.52.0"},
		"an idle time below none": {map[string]string{cluster + "/autoscalerOptions": "{idleTimeoutSeconds: -1}"},
			cluster + "/autoscalerOptions/idleTimeoutSeconds", "non-negative"},
	}
	for situation, want := range cases {
		t.Run(situation, func(t *testing.T) {
			got := refusal(t, read(t, rayJob), want.changes)
			if got.Pointer != want.pointer || !strings.Contains(got.Message, want.words) || got.Judge != "kuberay" {
				t.Errorf("got %q at %q, want %q at %q", got.Message, got.Pointer, want.words, want.pointer)
			}
		})
	}
}

func TestTheFirstOfTwoFaultsIsRefusedWhereItIs(t *testing.T) {
	got := refusal(t, read(t, rayJob), map[string]string{gpu + "/minReplicas": "4", "/spec/backoffLimit": "-1"})
	if got.Pointer != gpu+"/minReplicas" {
		t.Errorf("got %q at %q", got.Message, got.Pointer)
	}
}

func TestWhatWeRenderIsAccepted(t *testing.T) {
	paths, _ := filepath.Glob("../../../../rendered/*/*/rayjob-*.yaml")
	if len(paths) == 0 {
		t.Fatal("there is no rendered RayJob")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := refusals(judge.Review{Object: read(t, string(text))}); err != nil || len(found) > 0 {
			t.Errorf("%s: %v %v", path, found, err)
		}
	}
}
