package admission

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

// made asks for every pod of a workload, by the committed schemas.
func made(t *testing.T, text string) podsReply {
	t.Helper()
	folders, err := filepath.Glob("../../../schemas/*/v*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for index, folder := range folders {
		if folders[index], err = filepath.Abs(folder); err != nil {
			t.Fatal(err)
		}
	}
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"schemas": folders, "kubernetes": "1.36", "object": object})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := Pods(body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.(podsReply)
}

// sound is what is made of a workload that nobody refuses.
func sound(t *testing.T, text string) []Made {
	t.Helper()
	reply := made(t, text)
	if len(reply.Refusals) > 0 || len(reply.Unjudged) > 0 {
		t.Fatalf("got %v and %v", reply.Refusals, reply.Unjudged)
	}
	return reply.Made
}

// titles are the lines "owner role index kind name" of all that is made.
func titles(made []Made) (lines []string) {
	for _, one := range made {
		name, _ := judge.At(one.Object, "/metadata/name")
		lines = append(lines, fmt.Sprint(one.Owner, " ", one.Role, " ", one.Index, " ", one.Object["kind"], " ", name))
	}
	return lines
}

func expect(t *testing.T, made []Made, want ...string) {
	t.Helper()
	if got := titles(made); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// told are the values of a variable in the first container of each pod, in the order of the pods; "-" for none.
func told(made []Made, variable string) (values []string) {
	for _, one := range made {
		if one.Object["kind"] != "Pod" {
			continue
		}
		found, _ := judge.At(one.Object, "/spec/containers/0/env")
		list, _ := found.([]any)
		value := "-"
		for _, entry := range list { // the last one holds
			if entry := entry.(map[string]any); entry["name"] == variable {
				value, _ = entry["value"].(string)
			}
		}
		values = append(values, value)
	}
	return values
}

func expectTold(t *testing.T, made []Made, variable string, want ...string) {
	t.Helper()
	if got := told(made, variable); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %q, want %q", variable, got, want)
	}
}

func textAt(t *testing.T, made []Made, kind, pointer string) string {
	t.Helper()
	for _, one := range made {
		if one.Object["kind"] == kind {
			found, _ := judge.At(one.Object, pointer)
			return fmt.Sprint(found)
		}
	}
	t.Fatalf("no %s is made", kind)
	return ""
}

func TestMorePodsThanCanBeMadeAreSaid(t *testing.T) {
	for _, text := range []string{
		kubeflowJob("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Worker 2000000000"),
		strings.Replace(sweep, "completions: 3", "completions: 257", 1),
		strings.Replace(mpiJob, "replicas: 2", "replicas: 256", 1),
		strings.Replace(rayJob, "replicas: 2, minReplicas: 1, maxReplicas: 5", "replicas: 300, minReplicas: 1, maxReplicas: 300", 1),
		strings.Replace(volcanoJob, "replicas: 2", "replicas: 2000000000", 1),
		strings.Replace(set, "replicas: 2", "replicas: 100000", 1),
	} {
		reply := made(t, text)
		if len(reply.Unjudged) != 1 || !strings.Contains(reply.Unjudged[0].Message, "at most 256 can be made one by one") {
			t.Errorf("got %v of %s", reply.Unjudged, text)
		}
	}
}

func TestWhatIsRefusedStandsAtTheWorkloadsOwnPlace(t *testing.T) {
	wrong := strings.Replace(sweep, "{name: train, image: train:1}", "{name: train, image: train:1, ports: [{containerPort: 99999}]}", 1)
	reply := made(t, kubeflowJob("PyTorchJob", "pytorchReplicaSpecs", "torch", "Worker 1"))
	if len(reply.Made) > 0 || len(reply.Refusals) != 1 || reply.Refusals[0].Judge != "training-operator" {
		t.Errorf("got %+v", reply)
	}
	reply = made(t, wrong)
	if len(reply.Refusals) == 0 || reply.Refusals[0].Pointer != "/spec/template/spec/containers/0/ports/0/containerPort" {
		t.Errorf("got %+v", reply.Refusals)
	}
}

func TestWhatWaitsInAQueueRunsHere(t *testing.T) {
	queued := strings.Replace(sweep, "namespace: ml", "namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}", 1)
	reply := made(t, queued)
	if suspended, _ := judge.At(reply.Kept, "/spec/suspend"); suspended == true || len(reply.Made) != 3 {
		t.Errorf("got %v", reply.Kept)
	}
}

func TestAnObjectWithoutANameGetsOne(t *testing.T) {
	all := sound(t, strings.Replace(sweep, "name: sweep,", "generateName: sweep-,", 1))
	if name := textAt(t, all, "Pod", "/spec/hostname"); name != "sweep-bbbbb-0" {
		t.Errorf("got %s", name)
	}
}
