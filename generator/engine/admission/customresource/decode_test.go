package customresource

import (
	"encoding/json"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func TestDecodingGivesDefaultsAndLeavesTheWrittenObjectAlone(t *testing.T) {
	object := decode(t, clusterQueue)
	decoded, refusals := find(t, object).Decode(object)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	for pointer, want := range map[string]string{
		"/spec/queueingStrategy":              "BestEffortFIFO",
		"/spec/stopPolicy":                    "None",
		"/spec/preemption/withinClusterQueue": "Never",
	} {
		if got, _ := judge.At(decoded, pointer); got != want {
			t.Errorf("%s is %v", pointer, got)
		}
		if written, exists := judge.At(object, pointer); exists {
			t.Errorf("%s was written: %v", pointer, written)
		}
	}
}

func TestNullsAndUnknownFieldsAreDroppedAsTheAPIServerDropsThem(t *testing.T) {
	object := decode(t, edited(t, pyTorchJob, "name: pytorch", "{name: pytorch, imagee: a, workingDir: null}\n            - name: b"))
	decoded, _ := find(t, object).Decode(object)
	container, _ := judge.At(decoded, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0")
	if text, _ := json.Marshal(container); string(text) != `{"name":"pytorch"}` {
		t.Errorf("got %s", text)
	}
}

func TestUnknownFieldsAreKeptWhereTheSchemaPreservesThem(t *testing.T) {
	object := decode(t, edited(t, application, "path: a", "path: a, helm: {valuesObject: {any: {thing: [1]}}}"))
	decoded, refusals := find(t, object).Decode(object)
	if _, kept := judge.At(decoded, "/spec/source/helm/valuesObject/any/thing/0"); !kept || len(refusals) > 0 {
		t.Errorf("got %v, %v", decoded, refusals)
	}
}

func TestNumbersOfARequestAreReadAsTheAPIServerReadsThem(t *testing.T) {
	object := decode(t, pyTorchJob)
	policy, _ := judge.At(object, "/spec/runPolicy")
	policy.(map[string]any)["backoffLimit"] = json.Number("3")
	decoded, _ := find(t, object).Decode(object)
	if limit, _ := judge.At(decoded, "/spec/runPolicy/backoffLimit"); limit != int64(3) {
		t.Errorf("got %T", limit)
	}
}

func TestMisshapenObjectsAreRefused(t *testing.T) {
	header := "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	for body, refusal := range map[string]string{
		"spec: {clusterQueue: a}":                    "schema : metadata.name: Required value: name or generateName is required",
		"metadata: null":                             "schema /metadata/name: metadata.name: Required value: name or generateName is required",
		"metadata: []":                               "decoding /metadata: json: cannot unmarshal array into Go value of type v1.ObjectMeta",
		"metadata: {name: {a: b}}":                   "decoding /metadata/name: json: cannot unmarshal object into Go struct field ObjectMeta.name of type string",
		"metadata: {name: a, namespace: b}\nspec: 1": `schema /spec: spec: Invalid value: "integer": spec in body must be of type object: "integer"`,
	} {
		t.Run(body, func(t *testing.T) {
			if got := admit(t, decode(t, header+body), nil); len(got) == 0 || got[0] != refusal {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAGeneratedNameIsAName(t *testing.T) {
	expect(t, admit(t, decode(t, edited(t, localQueue, "name: h100,", "generateName: h100-,")), nil))
}

func TestAStatusIsTheControllersAndIsNotJudged(t *testing.T) {
	expect(t, admit(t, decode(t, localQueue+"status: {pendingWorkloads: -1, conditions: [{type: A}]}\n"), nil))
}

func TestWhatWasWrongBeforeMayStay(t *testing.T) {
	before := decode(t, edited(t, trainJob, "trainer.kubeflow.org/trainjob-controller", "example.org/mine"))
	object := decode(t, edited(t, edited(t, trainJob, "trainer.kubeflow.org/trainjob-controller", "example.org/mine"),
		"name: demo,", "name: demo, labels: {a: b},"))
	expect(t, admit(t, object, before))
}

func TestABeforeOfAnotherVersionIsNotCompared(t *testing.T) {
	object := decode(t, localQueue)
	before := decode(t, edited(t, localQueue, "{clusterQueue: h100}", "{clusterQueue: a100}"))
	before["apiVersion"] = "kueue.x-k8s.io/v1beta1"
	expect(t, admit(t, object, before))
}

func find(t *testing.T, object judge.Object) *Kind {
	t.Helper()
	kind, err := registry().Find(judge.KindOf(object))
	if err != nil {
		t.Fatal(err)
	}
	return kind
}
