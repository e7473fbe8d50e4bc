package builtin

import (
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func children(t testing.TB, text string) []judge.Child {
	t.Helper()
	made, err := Children(judge.Review{Object: decoded(t, text)})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// accepted checks that a child is one that the API server would take from its controller.
func accepted(t testing.TB, child judge.Child) judge.Object {
	t.Helper()
	object, refusals := Decode(child.Object)
	if len(refusals) == 0 {
		refusals = Validate(judge.Review{Object: object, Around: judge.NewSurroundings("1.36", nil)})
	}
	if len(refusals) > 0 {
		t.Errorf("its own server refuses it: %+v", refusals)
	}
	return object
}

func TestControllersMakeWhatTheServerAccepts(t *testing.T) {
	indexed := edited(t, aJob, "parallelism: 2 => completionMode: Indexed\n  parallelism: 1")
	for name, maker := range map[string]struct {
		text     string
		count    int
		expected map[string]any
	}{
		"a job": {aJob, 2, map[string]any{
			"/metadata/name":      "resnet-xxxxx",
			"/metadata/namespace": "vision",
			"/metadata/labels/batch.kubernetes.io~1job-name": "resnet",
			"/metadata/labels/team":                          "vision",
			"/metadata/finalizers/0":                         "batch.kubernetes.io/job-tracking",
			"/metadata/ownerReferences/0/kind":               "Job",
			"/metadata/ownerReferences/0/controller":         true,
			"/spec/containers/0/resources/limits/memory":     "64Gi",
			"/spec/restartPolicy":                            "Never",
		}},
		"an indexed job": {indexed, 1, map[string]any{
			"/metadata/name":         "resnet-1-xxxxx",
			"/metadata/generateName": "resnet-1-",
			"/spec/hostname":         "resnet-1",
			"/metadata/annotations/batch.kubernetes.io~1job-completion-index": "1",
			"/metadata/labels/batch.kubernetes.io~1job-completion-index":      "1",
			"/spec/containers/0/env/0/name":                                   "JOB_COMPLETION_INDEX",
		}},
		"a deployment": {aDeployment, 3, map[string]any{
			"/metadata/labels/app":             "tensorboard",
			"/metadata/ownerReferences/0/kind": "ReplicaSet",
		}},
		"a replica set": {others["ReplicaSet"], 2, map[string]any{
			"/metadata/name": "r-xxxxx", "/metadata/ownerReferences/0/kind": "ReplicaSet",
		}},
		"a replication controller": {others["ReplicationController"], 1, map[string]any{
			"/metadata/name": "r-xxxxx", "/metadata/ownerReferences/0/kind": "ReplicationController",
		}},
		"a stateful set": {aStatefulSet, 3, map[string]any{
			"/metadata/name": "etcd-2", "/spec/hostname": "etcd-2", "/spec/subdomain": "etcd", "/metadata/namespace": "vision",
			"/spec/volumes/0/persistentVolumeClaim/claimName": "data-etcd-2",
		}},
		"a daemon set": {aDaemonSet, 1, map[string]any{
			"/metadata/ownerReferences/0/kind": "DaemonSet",
			"/spec/tolerations/0/key":          "node.kubernetes.io/not-ready",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			made := children(t, maker.text)[0]
			accepted(t, made)
			if made.Count != maker.count {
				t.Errorf("%d of them", made.Count)
			}
			for pointer, expected := range maker.expected {
				if found, _ := judge.At(made.Object, pointer); found != expected {
					t.Errorf("%s is %v, not %v", pointer, found, expected)
				}
			}
		})
	}
}

func TestACronJobMakesAJobWithTheLongestName(t *testing.T) {
	made := children(t, aCronJob)
	if len(made) != 1 || judge.KindOf(made[0].Object).Kind != "Job" {
		t.Fatalf("%+v", made)
	}
	if name, _ := judge.At(made[0].Object, "/metadata/name"); name != "nightly-99999999" {
		t.Errorf("%v", name)
	}
	run, err := Children(judge.Review{Object: accepted(t, made[0])})
	if err != nil {
		t.Fatal(err)
	}
	if name, _ := judge.At(run[0].Object, "/metadata/name"); name != "nightly-99999999-11-xxxxx" || run[0].Count != 4 {
		t.Errorf("%d of %v", run[0].Count, name)
	}
	accepted(t, run[0])
}

func TestAStatefulSetMakesItsClaims(t *testing.T) {
	made := children(t, aStatefulSet)
	if len(made) != 2 {
		t.Fatalf("%+v", made)
	}
	volume := accepted(t, made[1])
	if name, _ := judge.At(volume, "/metadata/name"); name != "data-etcd-2" {
		t.Errorf("%v", name)
	}
	if pointer := made[1].Trace("/spec/resources/requests/storage"); pointer != "/spec/volumeClaimTemplates/0/spec/resources/requests/storage" {
		t.Error(pointer)
	}
}

func TestAJobThatIsManagedElsewhereMakesNothingHere(t *testing.T) {
	if made := children(t, edited(t, aJob, "  managedBy: kueue.x-k8s.io/multikueue\n")); len(made) != 0 {
		t.Errorf("%+v", made)
	}
}

func TestARefusalOfAPodIsTracedToItsTemplate(t *testing.T) {
	made := children(t, aJob)[0]
	for child, parent := range map[string]string{
		"/spec/containers/0/image": "/spec/template/spec/containers/0/image",
		"/spec/priorityClassName":  "/spec/template/spec/priorityClassName",
		"/metadata/labels/team":    "/spec/template/metadata/labels/team",
		"/metadata/name":           "/metadata/name",
		"/metadata/namespace":      "/metadata/namespace",
	} {
		if found := made.Trace(child); found != parent {
			t.Errorf("%s comes from %s, not %s", child, found, parent)
		}
	}
	run := children(t, aCronJob)[0]
	if found := run.Trace("/spec/template/spec/restartPolicy"); found != "/spec/jobTemplate/spec/template/spec/restartPolicy" {
		t.Error(found)
	}
	if found := run.Trace("/metadata/name"); found != "/metadata/name" {
		t.Error(found)
	}
}
