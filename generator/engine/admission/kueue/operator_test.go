package kueue

import (
	"fmt"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func TestKueueAcceptsWhatIsWellFormed(t *testing.T) {
	for _, text := range []string{clusterQueue, resourceFlavor, cohort, pyTorchJob, batchJob, rayJob, trainJob} {
		object := parse(t, text)
		review := judge.Review{Object: object, Around: around()}
		if err := Operator.Mutate(review); err != nil {
			t.Error(err)
		}
		if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", judge.KindOf(object).Kind, found, err)
		}
	}
}

func TestAnOlderClusterQueueIsConvertedBeforeItIsJudged(t *testing.T) {
	older := edited(parse(t, clusterQueue), edit{"/apiVersion", "kueue.x-k8s.io/v1beta1"}, edit{"/spec/cohortName", nil},
		edit{"/spec/cohort", "pool"})
	review := judge.Review{Object: older, Around: around()}
	if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
		t.Errorf("the cohort was lost: %v, %v", found, err)
	}
	review.Object = edited(older, edit{firstFlavor + "/resources/1/lendingLimit", "9"})
	found, err := Operator.Refusals(review)
	expect(t, found, err, firstFlavor+"/resources/1/lendingLimit", "must be less than or equal to the nominalQuota")
}

func TestAPriorityMayChangeWhileItRuns(t *testing.T) {
	before := edited(parse(t, pyTorchJob), edit{priorityPointer, "low"})
	review := judge.Review{Object: edited(before, edit{priorityPointer, "high"}), Before: before, Around: around()}
	if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

func TestARunThatIsQueuedIsSuspended(t *testing.T) {
	for pointer, text := range map[string]string{
		"/spec/runPolicy/suspend": pyTorchJob, "/spec/suspend": batchJob,
	} {
		object := parse(t, text)
		if err := Operator.Mutate(judge.Review{Object: object, Around: around()}); err != nil {
			t.Fatal(err)
		}
		if suspended, _ := judge.At(object, pointer); suspended != true {
			t.Errorf("%s: %v", pointer, suspended)
		}
		review := judge.Review{Object: object, Before: parse(t, text), Around: around()}
		if err := Operator.Mutate(review); err != nil {
			t.Fatal(err)
		}
		if _, still := judge.At(object, pointer); still {
			t.Errorf("%s: a run that is there has started", pointer)
		}
	}
}

func TestMutationKeepsTheRestAsItWasWritten(t *testing.T) {
	object := edited(parse(t, pyTorchJob), edit{"/spec/future", "unknown"})
	if err := Operator.Mutate(judge.Review{Object: object, Around: around()}); err != nil {
		t.Fatal(err)
	}
	for pointer, wanted := range map[string]string{
		"/spec/future": "unknown",
		"/spec/pytorchReplicaSpecs/Master/template/spec/containers/0/resources/requests/cpu": "1000m",
	} {
		if found, _ := judge.At(object, pointer); found != wanted {
			t.Errorf("%s: %v", pointer, found)
		}
	}
}

func TestARunWithoutAQueueIsLeftAlone(t *testing.T) {
	object := edited(parse(t, pyTorchJob), edit{queuePointer, nil})
	if err := Operator.Mutate(judge.Review{Object: object, Around: around()}); err != nil {
		t.Fatal(err)
	}
	if _, suspended := judge.At(object, "/spec/runPolicy/suspend"); suspended {
		t.Error("it is suspended")
	}
}

func TestWhatAQueuedRunMakesDoesNotWaitByItself(t *testing.T) {
	object := edited(parse(t, batchJob), edit{"/metadata/ownerReferences", []any{map[string]any{
		"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "sweep", "uid": "1", "controller": true}}})
	if err := Operator.Mutate(judge.Review{Object: object, Around: around()}); err != nil {
		t.Fatal(err)
	}
	if _, suspended := judge.At(object, "/spec/suspend"); suspended {
		t.Error("it is suspended")
	}
}

func TestTheQueueCalledDefaultIsFilledIn(t *testing.T) {
	object := edited(parse(t, pyTorchJob), edit{queuePointer, nil})
	queue := parse(t, `{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue,
		metadata: {name: default, namespace: team-nlp}, spec: {clusterQueue: nlp}}`)
	if err := Operator.Mutate(judge.Review{Object: object, Around: around(queue)}); err != nil {
		t.Fatal(err)
	}
	if name, _ := judge.At(object, queuePointer); name != "default" {
		t.Errorf("the queue is %v", name)
	}
}

func TestAnIntegrationThatIsOffJudgesNothing(t *testing.T) {
	configuration := parse(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    integrations:
      frameworks: [batch/job]
`)
	for text, judged := range map[string]bool{pyTorchJob: false, batchJob: true} {
		object := edited(parse(t, text), edit{queuePointer, "NLP_queue"})
		found, err := Operator.Refusals(judge.Review{Object: object, Around: around(configuration)})
		if err != nil || (len(found) > 0) != judged {
			t.Errorf("%s: %v, %v", judge.KindOf(object).Kind, found, err)
		}
	}
}

func TestATrainJobWithoutItsRuntimeIsStillJudged(t *testing.T) {
	object := edited(parse(t, trainJob), edit{queuePointer, "NLP_queue"})
	found, err := Operator.Refusals(judge.Review{Object: object, Around: around()})
	expect(t, found, err, queuePointer, "a lowercase RFC 1123 subdomain")
	found, err = Operator.Refusals(judge.Review{Object: object, Around: around(parse(t, trainingRuntime))})
	expect(t, found, err, queuePointer, "a lowercase RFC 1123 subdomain")
}

func TestOurOwnManifestsAreAccepted(t *testing.T) {
	for _, cluster := range clusters {
		objects := committed(t, cluster)
		surroundings, judged := around(objects...), 0
		for _, object := range objects {
			if !Operator.Covers(judge.KindOf(object)) {
				continue
			}
			judged++
			review := judge.Review{Object: plain(object).(judge.Object), Around: surroundings}
			if err := Operator.Mutate(review); err != nil {
				t.Errorf("%s: %v", cluster, err)
			}
			if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
				t.Errorf("%s: %v, %v", cluster, found, err)
			}
		}
		if judged < 4 {
			t.Errorf("%s: only %d objects are judged", cluster, judged)
		}
	}
}

func BenchmarkOurLargestRun(b *testing.B) {
	objects := committed(b, "aws-prod")
	surroundings := around(objects...)
	largest := judge.Object{}
	for _, object := range objects {
		if judge.KindOf(object).Kind == "PyTorchJob" && len(fmt.Sprint(object)) > len(fmt.Sprint(largest)) {
			largest = object
		}
	}
	for b.Loop() {
		review := judge.Review{Object: plain(largest).(judge.Object), Around: surroundings}
		if err := Operator.Mutate(review); err != nil {
			b.Fatal(err)
		}
		if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}
