package volcano

import (
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func TestThePodsOfAJobAreTheLastOfEachTask(t *testing.T) {
	container := judge.Object{"name": "train", "image": "registry.example.com/train:1"}
	template := judge.Object{"spec": judge.Object{"containers": []any{container}}}
	job := judge.Object{
		"apiVersion": "batch.volcano.sh/v1alpha1",
		"kind":       "Job",
		"metadata":   judge.Object{"name": "resnet", "namespace": "team-vision"},
		"spec": judge.Object{
			"schedulerName": "volcano",
			"tasks": []any{
				judge.Object{"name": "master", "replicas": int64(1), "template": template},
				judge.Object{"name": "worker", "replicas": int64(11), "template": template},
				judge.Object{"name": "idle", "replicas": int64(0), "template": template},
			},
		},
	}
	made, err := Operator.Children(judge.Review{Object: job})
	if err != nil || len(made) != 2 {
		t.Fatalf("made %v, %v", made, err)
	}
	for index, want := range []struct {
		role, name string
		count      int
	}{{"master", "resnet-master-0", 1}, {"worker", "resnet-worker-10", 11}} {
		pod := made[index]
		metadata := pod.Object["metadata"].(judge.Object)
		if pod.Role != want.role || pod.Count != want.count || metadata["name"] != want.name {
			t.Errorf("made %+v, want %+v", pod, want)
		}
		if metadata["namespace"] != "team-vision" || pod.Object["spec"].(judge.Object)["schedulerName"] != "volcano" {
			t.Errorf("pod %v is not of its job", pod.Object)
		}
	}
	if at := made[1].Trace("/spec/containers/0/image"); at != "/spec/tasks/1/template/spec/containers/0/image" {
		t.Errorf("traced to %s", at)
	}
}

func TestAJobIsNotChangedByWhatIsMadeOfIt(t *testing.T) {
	spec := judge.Object{"containers": []any{}}
	job := judge.Object{"metadata": judge.Object{"name": "a"}, "spec": judge.Object{
		"schedulerName": "volcano",
		"tasks":         []any{judge.Object{"name": "b", "template": judge.Object{"spec": spec}}},
	}}
	if _, err := Operator.Children(judge.Review{Object: job}); err != nil {
		t.Fatal(err)
	}
	if len(spec) != 1 {
		t.Errorf("the template became %v", spec)
	}
}
