package jobset

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
	"trainshed.dev/engine/handshake"
)

var built string

// TestMain builds the program of which these are the client. A copy of the test itself plays programs that misbehave.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "dying") {
		fmt.Fprintln(os.Stderr, "out of everything")
		os.Exit(3)
	}
	folder, err := os.MkdirTemp("", "jobset")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(folder, Program)
	build := exec.Command("go", "build", "-trimpath", "-o", built, "trainshed.dev/engine/jobset")
	if said, err := build.CombinedOutput(); err != nil {
		panic(string(said))
	}
	failed := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(failed)
}

func at(path string) *client {
	return &client{find: func() (string, error) { return path, nil }}
}

func jobSet(t testing.TB, replicas int) judge.Object {
	t.Helper()
	object := judge.Object{}
	text := fmt.Sprintf(`
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: vision}
spec:
  replicatedJobs:
  - name: workers
    replicas: %d
    groupName: default
    template: {spec: {template: {spec: {containers: [{name: main, image: registry.example/train:1}]}}}}
`, replicas)
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestOneReviewAsksOnce(t *testing.T) {
	client := at(built)
	operator := operator(client)
	review := judge.Review{Object: jobSet(t, 2)}
	if err := operator.Mutate(review); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.program.end)
	if mode, _ := judge.At(review.Object, "/spec/replicatedJobs/0/template/spec/completionMode"); mode != "Indexed" {
		t.Errorf("the completion mode is %v", mode)
	}
	client.broken = errors.New("asked again")
	if refusals, err := operator.Refusals(review); err != nil || len(refusals) > 0 {
		t.Errorf("got %v, %v", refusals, err)
	}
	children, err := operator.Children(review)
	if err != nil || len(children) != 2 {
		t.Fatalf("got %v, %v", children, err)
	}
	if job := children[1]; job.Count != 2 || job.Trace("/metadata/name") != "/spec/replicatedJobs/0/name" {
		t.Errorf("got %v", job)
	}
}

func TestEveryJobIsAskedForByItself(t *testing.T) {
	client := at(built)
	operator := operator(client)
	one, err := operator.Children(judge.Review{Object: jobSet(t, 3)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.program.end)
	every, err := operator.Children(judge.Review{Object: jobSet(t, 3), Every: true})
	if err != nil || len(one) != 2 || len(every) != 4 {
		t.Fatalf("got %d and %d, %v", len(one), len(every), err)
	}
	if last := every[3]; last.Index != 2 || last.Count != 1 {
		t.Errorf("got %v", last)
	}
	if _, err := operator.Children(judge.Review{Object: jobSet(t, 257), Every: true}); err == nil {
		t.Error("257 Jobs were made")
	}
}

func TestWhatAnotherWebhookChangedIsAskedAfresh(t *testing.T) {
	client := at(built)
	operator := operator(client)
	review := judge.Review{Object: jobSet(t, 2)}
	if err := operator.Mutate(review); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.program.end)
	review.Object["spec"].(map[string]any)["managedBy"] = "me"
	refusals, err := operator.Refusals(review)
	if err != nil || len(refusals) != 1 || refusals[0].Pointer != "/spec/managedBy" {
		t.Errorf("got %v, %v", refusals, err)
	}
}

func TestTheChangeIsJudged(t *testing.T) {
	client := at(built)
	refusals, err := operator(client).Refusals(judge.Review{Object: jobSet(t, 3), Before: jobSet(t, 2)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.program.end)
	if len(refusals) != 1 || refusals[0].Pointer != "/spec/replicatedJobs/0/replicas" || refusals[0].Judge != "jobset" {
		t.Errorf("got %v", refusals)
	}
}

func TestTooManyJobsAreNotAPass(t *testing.T) {
	client := at(built)
	children, err := operator(client).Children(judge.Review{Object: jobSet(t, 20000)})
	t.Cleanup(client.program.end)
	if err == nil || len(children) > 0 {
		t.Errorf("got %v, %v", children, err)
	}
}

func TestAProgramThatIsMissingIsNotAPass(t *testing.T) {
	operator := operator(at(filepath.Join(t.TempDir(), Program)))
	for range 2 {
		refusals, err := operator.Refusals(judge.Review{Object: jobSet(t, 2)})
		if err == nil || !strings.Contains(err.Error(), "cannot be started") || refusals != nil {
			t.Errorf("got %v, %v", refusals, err)
		}
	}
}

func TestAProgramThatDiesIsNotAPass(t *testing.T) {
	dying := filepath.Join(t.TempDir(), "dying")
	if err := os.Symlink(os.Args[0], dying); err != nil {
		t.Fatal(err)
	}
	_, err := operator(at(dying)).Refusals(judge.Review{Object: jobSet(t, 2)})
	if err == nil || !strings.Contains(err.Error(), "ended: exit status 3: out of everything") {
		t.Errorf("got %v", err)
	}
}

func TestAProgramThatIsKilledStaysDead(t *testing.T) {
	client := at(built)
	operator := operator(client)
	if _, err := operator.Refusals(judge.Review{Object: jobSet(t, 2)}); err != nil {
		t.Fatal(err)
	}
	if err := client.program.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var first string
	for replicas := range 3 {
		_, err := operator.Children(judge.Review{Object: jobSet(t, 5+replicas)})
		if err == nil || first != "" && err.Error() != first {
			t.Fatalf("got %v after %q", err, first)
		}
		first = err.Error()
	}
}

func TestAProgramOfAnotherReleaseIsNotAPass(t *testing.T) {
	version := handshake.Version
	defer func() { handshake.Version = version }()
	handshake.Version = "another"
	_, err := operator(at(built)).Refusals(judge.Review{Object: jobSet(t, 2)})
	if err == nil || !strings.Contains(err.Error(), "is of release "+version+", the engine of another") {
		t.Errorf("got %v", err)
	}
}

func TestTheProgramEndsWithItsInput(t *testing.T) {
	process, err := start(built)
	if err != nil {
		t.Fatal(err)
	}
	_ = process.asks.Close()
	if err := process.command.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestOnlyJobSetsAreCovered(t *testing.T) {
	got := []bool{
		Operator.Covers(judge.KindOf(jobSet(t, 1))),
		Operator.Covers(judge.KindOf(judge.Object{"apiVersion": "batch/v1", "kind": "Job"})),
	}
	if !reflect.DeepEqual(got, []bool{true, false}) {
		t.Errorf("got %v", got)
	}
}

func BenchmarkReview(b *testing.B) {
	client := at(built)
	operator := operator(client)
	for count := range b.N {
		review := judge.Review{Object: jobSet(b, 2+count%2)}
		if err := operator.Mutate(review); err != nil {
			b.Fatal(err)
		}
		if _, err := operator.Refusals(review); err != nil {
			b.Fatal(err)
		}
		if _, err := operator.Children(review); err != nil {
			b.Fatal(err)
		}
	}
}
