package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/jobset"
	"trainshed.dev/engine/admission/judge"
)

const twoJobs = `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: vision}
spec:
  replicatedJobs:
  - name: leader
    replicas: 1
    groupName: default
    template: &job
      spec:
        parallelism: 2
        completions: 2
        template:
          spec:
            containers:
            - {name: main, image: registry.example/train:1, volumeMounts: [{name: scratch, mountPath: /scratch}]}
  - name: workers
    replicas: 3
    groupName: default
    template: *job
`

// changedJobSet is twoJobs after changes: a pointer, a space, and what to put there.
func changedJobSet(t *testing.T, changes ...string) judge.Object {
	t.Helper()
	object := parse(t, twoJobs)
	for _, change := range changes {
		pointer, text, _ := strings.Cut(change, " ")
		steps := judge.Steps(pointer)
		last := steps[len(steps)-1]
		parent, found := judge.At(object, strings.TrimSuffix(pointer, "/"+judge.Escape(last)))
		if !found {
			t.Fatalf("nothing holds %s", pointer)
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		parent.(map[string]any)[last] = value
	}
	return object
}

func parse(t *testing.T, text string) judge.Object {
	t.Helper()
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func ask(t *testing.T, object, before judge.Object) jobset.Answer {
	t.Helper()
	body, err := json.Marshal(jobset.Question{Object: object, Before: before})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := review(body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.(jobset.Answer)
}

const (
	first   = "/spec/replicatedJobs/0"
	second  = "/spec/replicatedJobs/1"
	podSpec = "/template/spec/template/spec"
)

func TestCreation(t *testing.T) {
	long := strings.Repeat("x", 60)
	for name, test := range map[string]struct {
		changes []string
		pointer string
		words   string
	}{
		"accepted":                        {},
		"a later job may depend":          {changes: []string{second + "/dependsOn [{name: leader, status: Ready}]"}},
		"the first cannot depend":         {[]string{first + "/dependsOn [{name: workers, status: Ready}]"}, first + "/dependsOn", "DependsOn can't be set for the first"},
		"an earlier one must be named":    {[]string{second + "/dependsOn [{name: nobody, status: Ready}]"}, second + "/dependsOn/0", "cannot depend on replicatedJob: nobody"},
		"names of Jobs are bounded":       {[]string{"/metadata/name " + long}, first + "/name", "job names generated"},
		"a subdomain is a label":          {[]string{"/spec/network {subdomain: a.b}"}, "/spec/network/subdomain", "DNS-1035 label"},
		"a manager is a path":             {[]string{"/spec/managedBy me"}, "/spec/managedBy", "domain-prefixed path"},
		"a group name is a label":         {[]string{second + "/groupName UP"}, second + "/groupName", "DNS-1035 label"},
		"replicas times pods are bounded": {[]string{second + "/replicas 2147483647"}, second + "/", "must not exceed"},
		"success needs a known job":       {[]string{"/spec/successPolicy {operator: All, targetReplicatedJobs: [leader, boss]}"}, "/spec/successPolicy/targetReplicatedJobs/1", "'boss' does not appear"},
		"a rule needs a known job":        {[]string{"/spec/failurePolicy {rules: [{name: r, action: FailJobSet, targetReplicatedJobs: [boss]}]}"}, "/spec/failurePolicy/rules/0/targetReplicatedJobs/0", "'boss' in failure policy"},
		"a rule needs a known reason":     {[]string{"/spec/failurePolicy {rules: [{name: r, action: FailJobSet, onJobFailureReasons: [Bored]}]}"}, "/spec/failurePolicy/rules/0/onJobFailureReasons/0", "'Bored'"},
		"a rule's name is bounded":        {[]string{"/spec/failurePolicy {rules: [{name: r-1, action: FailJobSet}]}"}, "/spec/failurePolicy/rules/0/name", "rule name 'r-1'"},
		"an alpha action is off":          {[]string{"/spec/failurePolicy {rules: [{name: r, action: RestartJob}]}"}, "/spec/failurePolicy/rules/0/action", "feature gate is disabled"},
		"an alpha strategy is off":        {[]string{"/spec/failurePolicy {restartStrategy: InPlaceRestart}"}, "/spec/failurePolicy/restartStrategy", "feature gate is disabled"},
		"a coordinator's job exists":      {[]string{"/spec/coordinator {replicatedJob: boss}"}, "/spec/coordinator", "boss does not exist"},
		"a coordinator's index exists":    {[]string{"/spec/coordinator {replicatedJob: leader, jobIndex: 4}"}, "/spec/coordinator/jobIndex", "job index 4"},
		"a coordinator's pod exists":      {[]string{"/spec/coordinator {replicatedJob: leader, podIndex: 2}"}, "/spec/coordinator/podIndex", "pod index 2"},
		"a claim is mounted":              {[]string{"/spec/volumeClaimPolicies [{templates: [{metadata: {name: other}}]}]"}, "/spec/replicatedJobs", "matching volumeMount: other"},
	} {
		t.Run(name, func(t *testing.T) {
			refusals := ask(t, changedJobSet(t, test.changes...), nil).Refusals
			if test.words == "" {
				if len(refusals) > 0 {
					t.Errorf("refused: %v", refusals)
				}
				return
			}
			for _, refusal := range refusals {
				if strings.HasPrefix(refusal.Pointer, test.pointer) && strings.Contains(refusal.Message, test.words) {
					return
				}
			}
			t.Errorf("got %v", refusals)
		})
	}
}

func TestUpdate(t *testing.T) {
	for name, test := range map[string]struct {
		before, after []string
		pointer       string
	}{
		"nothing":                     {},
		"suspension":                  {after: []string{"/spec/suspend true"}},
		"where suspended pods go":     {[]string{"/spec/suspend true"}, []string{second + podSpec + "/nodeSelector {zone: a}"}, ""},
		"where running pods go":       {nil, []string{second + podSpec + "/nodeSelector {zone: a}"}, second + podSpec + "/nodeSelector"},
		"how many Jobs":               {nil, []string{second + "/replicas 4"}, second + "/replicas"},
		"how many Jobs of a new name": {nil, []string{first + "/name boss", second + "/replicas 4"}, "/spec/replicatedJobs"},
		"the manager":                 {nil, []string{"/spec/managedBy kueue.x-k8s.io/multikueue"}, "/spec/managedBy"},
	} {
		t.Run(name, func(t *testing.T) {
			refusals := ask(t, changedJobSet(t, test.after...), changedJobSet(t, test.before...)).Refusals
			var pointers []string
			for _, refusal := range refusals {
				pointers = append(pointers, refusal.Pointer)
			}
			if test.pointer == "" && len(pointers) > 0 || test.pointer != "" && !reflect.DeepEqual(pointers, []string{test.pointer}) {
				t.Errorf("got %v", refusals)
			}
		})
	}
}

func TestDefaultsAreTheWebhooks(t *testing.T) {
	mutated := ask(t, parse(t, twoJobs), nil).Mutated
	for pointer, want := range map[string]any{
		first + "/template/spec/completionMode": "Indexed",
		first + podSpec + "/restartPolicy":      "OnFailure",
		"/spec/successPolicy/operator":          "All",
		"/spec/network/enableDNSHostnames":      true,
		first + "/template/spec/parallelism":    int64(2),
	} {
		if got, _ := judge.At(mutated, pointer); got != want {
			t.Errorf("%s is %#v", pointer, got)
		}
	}
}

func TestTheLastJobOfEachIsMadeWhateverStartsFirst(t *testing.T) {
	claim := "/spec/volumeClaimPolicies [{templates: [{metadata: {name: scratch}, spec: {accessModes: [ReadWriteOnce]}}]}]"
	for _, order := range []string{
		"/spec/suspend false",
		"/spec/suspend true",
		"/spec/startupPolicy {startupPolicyOrder: InOrder}",
		second + "/dependsOn [{name: leader, status: Complete}]",
	} {
		var made []string
		for _, child := range ask(t, changedJobSet(t, claim, order), nil).Children {
			made = append(made, fmt.Sprint(child.Object["kind"], " ", textAt(child.Object, "/metadata", "name"), " ", child.Role, " ", child.Count))
		}
		want := []string{
			"Service train  1",
			"PersistentVolumeClaim scratch-train  1",
			"Job train-leader-0 leader 1",
			"Job train-workers-2 workers 3",
		}
		if !reflect.DeepEqual(made, want) {
			t.Errorf("with %s: %q", order, made)
		}
	}
}

func TestEveryJobIsMadeInOrder(t *testing.T) {
	body, err := json.Marshal(jobset.Question{Object: changedJobSet(t), Every: true})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := review(body)
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for _, child := range answer.(jobset.Answer).Children {
		made = append(made, fmt.Sprint(child.Object["kind"], " ", textAt(child.Object, "/metadata", "name"), " ", child.Index, " ", child.Count))
	}
	want := []string{
		"Service train 0 1", "Job train-leader-0 0 1",
		"Job train-workers-0 0 1", "Job train-workers-1 1 1", "Job train-workers-2 2 1",
	}
	if !reflect.DeepEqual(made, want) {
		t.Errorf("got %q", made)
	}
}

func TestPlacesOfWhatIsMade(t *testing.T) {
	object := changedJobSet(t, "/spec/volumeClaimPolicies [{templates: [{metadata: {name: scratch}}]}]")
	children := map[string]judge.Child{}
	for _, sent := range ask(t, object, nil).Children {
		child := judge.Child{Fallback: sent.Fallback}
		for _, place := range sent.Places {
			child.Places = append(child.Places, judge.Place{Child: place[0], Parent: place[1]})
		}
		children[fmt.Sprint(sent.Object["kind"], " ", sent.Role)] = child
	}
	for _, test := range []struct{ child, pointer, want string }{
		{"Job workers", "/metadata/name", second + "/name"},
		{"Job workers", "/spec/completions", second + "/template/spec/completions"},
		{"Job workers", "/spec/suspend", "/spec/suspend"},
		{"Job workers", "/spec/template/spec/containers/0/image", second + podSpec + "/containers/0/image"},
		{"Job workers", "/spec/template/spec/subdomain", "/metadata/name"},
		{"Job workers", "/spec/template/spec/volumes/0/name", "/spec/volumeClaimPolicies/0/templates/0/metadata/name"},
		{"Job workers", "/status", second},
		{"Service ", "/metadata/name", "/metadata/name"},
		{"PersistentVolumeClaim ", "/spec/resources", "/spec/volumeClaimPolicies/0/templates/0/spec/resources"},
	} {
		if got := children[test.child].Trace(test.pointer); got != test.want {
			t.Errorf("%s of %s comes from %s, not from %s", test.pointer, test.child, got, test.want)
		}
	}
}

func TestWhatAnotherControllerManagesMakesNothing(t *testing.T) {
	if made := ask(t, changedJobSet(t, "/spec/managedBy kueue.x-k8s.io/multikueue"), nil).Children; len(made) > 0 {
		t.Errorf("made %v", made)
	}
}

func TestTooManyJobsAreNotJudged(t *testing.T) {
	answer := ask(t, changedJobSet(t, second+"/replicas 20000"), nil)
	if len(answer.Children) > 0 || !strings.Contains(answer.Unjudged, "it has 20001") {
		t.Errorf("got %q and %v", answer.Unjudged, answer.Children)
	}
}

func BenchmarkReview(b *testing.B) {
	object := judge.Object{}
	if err := yaml.Unmarshal([]byte(twoJobs), &object); err != nil {
		b.Fatal(err)
	}
	body, err := json.Marshal(jobset.Question{Object: object})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := review(body); err != nil {
			b.Fatal(err)
		}
	}
}
