package kueue

import (
	"fmt"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

// bert asks for four GPUs of the eight that its queue has, as a workload of a name.
func bert(t testing.TB, name string, edits ...edit) judge.Object {
	return edited(parse(t, pyTorchJob), append(edits, edit{"/metadata/name", name})...)
}

func inLine(t testing.TB, objects ...judge.Object) ([]Asked, []Quota) {
	t.Helper()
	asked, quotas, err := StandInLine(objects)
	if err != nil {
		t.Fatal(err)
	}
	return asked, quotas
}

func verdicts(asked []Asked) string {
	var words []string
	for _, one := range asked {
		words = append(words, one.Verdict)
	}
	return strings.Join(words, " ")
}

func TestThoseInLineTakeWhatIsLeft(t *testing.T) {
	objects := append(queues(t), parse(t, lender))
	for index := range 5 {
		objects = append(objects, bert(t, fmt.Sprint("bert-", index)))
	}
	asked, _ := inLine(t, objects...)
	if said := verdicts(asked); said != "fits fits fits fits waits" {
		t.Fatal(said) // eight of its own, eight that it may borrow, and then none
	}
	if short := asked[4].Short; short == nil || *short != (Short{"h100", "nvidia.com/gpu", "4", "0"}) {
		t.Errorf("%+v", short)
	}
}

func TestWhatNeverFitsTakesNothing(t *testing.T) {
	asked, _ := inLine(t, append(queues(t), bert(t, "huge", edit{workers, int64(99)}), bert(t, "small"))...)
	if said := verdicts(asked); said != "never fits" {
		t.Fatal(said)
	}
	if short := asked[0].Short; short == nil || *short != (Short{"h100", "nvidia.com/gpu", "100", "8"}) {
		t.Errorf("%+v", short)
	}
	if flavor := asked[0].PodSets[1].Flavors["nvidia.com/gpu"]; flavor != "h100" {
		t.Errorf("the workers that fit nowhere came closest to %q", flavor)
	}
}

func TestAJobThatCanDoWithFewerTakesWhatIsLeft(t *testing.T) {
	sweep := edited(parse(t, batchJob), edit{minimumPointer, "3"})
	asked, _ := inLine(t, append(queues(t), bert(t, "first"), sweep, bert(t, "last"))...)
	if said := verdicts(asked); said != "fits reduced waits" {
		t.Fatal(said)
	}
	if set := asked[1].PodSets[0]; set.Count != 10 || set.Least != 3 || set.Requests["nvidia.com/gpu"] != "10" {
		t.Errorf("%+v", set)
	}
}

func TestAQueueHasItsQuotaAndWhatItMayBorrow(t *testing.T) {
	_, quotas := inLine(t, append(queues(t), parse(t, lender))...)
	wanted := []Quota{
		{"nlp", "pool", "a100", "cpu", "100", "100"},
		{"nlp", "pool", "a100", "nvidia.com/gpu", "0", "0"},
		{"nlp", "pool", "h100", "cpu", "100", "210"}, // a hundred of the lender's, ten of the cohort's own
		{"nlp", "pool", "h100", "nvidia.com/gpu", "8", "16"},
		{"vision", "pool", "h100", "cpu", "100", "210"},
		{"vision", "pool", "h100", "nvidia.com/gpu", "8", "12"}, // no more than four are lent to it
	}
	if fmt.Sprint(quotas) != fmt.Sprint(wanted) {
		t.Errorf("%v", quotas)
	}
}

func BenchmarkAThousandRunsInLine(b *testing.B) {
	for _, count := range []int{100, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			objects := queues(b)
			for index := range count {
				objects = append(objects, bert(b, fmt.Sprintf("bert-%d", index)))
			}
			for b.Loop() {
				if asked, _ := inLine(b, objects...); len(asked) != count {
					b.Fatal(len(asked))
				}
			}
		})
	}
}

func TestWhatNoQueueTakesInNeverStarts(t *testing.T) {
	asked, _ := inLine(t, append(queues(t), edited(parse(t, batchJob), edit{queuePointer, "nobody"}), bert(t, "ours"))...)
	if said := verdicts(asked); said != "never fits" {
		t.Fatal(said)
	}
	if asked[0].Queue != "nobody" || asked[0].Reason != "LocalQueue nobody doesn't exist" {
		t.Errorf("%+v", asked[0])
	}
}
