package mpioperator

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

// ring is an MPIJob with these replicas, and other lines of its spec.
func ring(t testing.TB, launcher, worker string, lines ...string) judge.Object {
	t.Helper()
	text := "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: ring, namespace: hpc}\nspec:\n" +
		strings.Join(append(lines, "  mpiReplicaSpecs: {Launcher: "+launcher+", Worker: "+worker+"}"), "\n")
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func replica(lines string) string {
	return "{" + lines + " template: {spec: {containers: [{name: mpi, image: mpi, env: [{name: SIZE, value: '3'}]}]}}}"
}

func TestAWrongJobIsRefusedAtTheVeryWord(t *testing.T) {
	launcher, worker := replica(""), replica("replicas: 3,")
	longName := ring(t, launcher, worker)
	longName["metadata"].(map[string]any)["name"] = strings.Repeat("r", 60)
	const specs = "/spec/mpiReplicaSpecs"
	cases := map[string]struct {
		object         judge.Object
		pointer, words string
	}{
		"a name too long for its workers": {longName, "/metadata/name", "invalid DNS label"},
		"two launchers": {ring(t, replica("replicas: 2,"), worker),
			specs + "/Launcher/replicas", "must be 1"},
		"no launcher": {ring(t, "null", worker),
			specs + "/Launcher", "must have Launcher replica spec"},
		"no workers": {ring(t, launcher, replica("replicas: 0,")),
			specs + "/Worker/replicas", "greater than or equal to 1"},
		"a launcher that always restarts": {ring(t, replica("restartPolicy: Always,"), worker),
			specs + "/Launcher/restartPolicy",
			`"Never", "OnFailure"`},
		"no containers": {ring(t, launcher, "{replicas: 1, template: {spec: {containers: []}}}"),
			specs + "/Worker/template/spec/containers",
			"at least one container"},
		"an implementation that is none": {ring(t, launcher, worker, "  mpiImplementation: LAM"),
			"/spec/mpiImplementation", "OpenMPI"},
		"fewer slots than none": {ring(t, launcher, worker, "  slotsPerWorker: -1"),
			"/spec/slotsPerWorker", "greater than or equal to 0"},
		"cleaning that is none": {ring(t, launcher, worker, "  runPolicy: {cleanPodPolicy: Some}"),
			"/spec/runPolicy/cleanPodPolicy",
			"Unsupported value"},
		"a deadline in the past": {ring(t, launcher, worker, "  runPolicy: {activeDeadlineSeconds: -1}"),
			"/spec/runPolicy/activeDeadlineSeconds", "greater than or equal to 0"},
		"a manager that nobody knows": {ring(t, launcher, worker, "  runPolicy: {managedBy: me}"),
			"/spec/runPolicy/managedBy",
			"kueue.x-k8s.io/multikueue"},
	}
	for situation, want := range cases {
		t.Run(situation, func(t *testing.T) {
			found, err := refusals(judge.Review{Object: want.object})
			if err != nil || len(found) != 1 {
				t.Fatalf("got %v %v", found, err)
			}
			got := found[0]
			if got.Pointer != want.pointer || !strings.Contains(got.Message, want.words) || got.Judge != "mpi-operator" {
				t.Errorf("got %q at %q, want %q at %q", got.Message, got.Pointer, want.words, want.pointer)
			}
		})
	}
}

func TestASoundJobIsAccepted(t *testing.T) {
	found, err := refusals(judge.Review{Object: ring(t, replica(""), replica("replicas: 3,"))})
	if err != nil || len(found) > 0 {
		t.Errorf("got %v %v", found, err)
	}
}

func made(t testing.TB, object judge.Object) map[string]judge.Child {
	t.Helper()
	found, err := children(judge.Review{Object: object})
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string]judge.Child{}
	for _, child := range found {
		byKind[judge.KindOf(child.Object).Kind] = child
	}
	return byKind
}

func at(t testing.TB, object judge.Object, pointer string) any {
	t.Helper()
	value, isThere := judge.At(object, pointer)
	if !isThere {
		t.Fatalf("nothing stands at %s", pointer)
	}
	return value
}

func TestALauncherAndWorkersAreMade(t *testing.T) {
	for range 2 { // the controller lives on, what it knew of the last job does not
		all := made(t, ring(t, replica(""), replica("replicas: 3,")))
		worker, launcher := all["Pod"], all["Job"]
		if name := at(t, worker.Object, "/metadata/name"); worker.Count != 3 || worker.Role != "Worker" || name != "ring-worker-2" {
			t.Errorf("got %d %s of %v", worker.Count, worker.Role, name)
		}
		if name := at(t, launcher.Object, "/metadata/name"); launcher.Count != 1 || launcher.Role != "Launcher" || name != "ring-launcher" {
			t.Errorf("got %d %s of %v", launcher.Count, launcher.Role, name)
		}
		if hosts := at(t, all["ConfigMap"].Object, "/data/hostfile").(string); strings.Count(hosts, "\n") != 3 {
			t.Errorf("got %s", hosts)
		}
		if name := at(t, all["Service"].Object, "/metadata/name"); name != "ring" {
			t.Errorf("got %v", name)
		}
	}
}

func TestASuspendedJobThatLaunchesLateMakesWhatItWill(t *testing.T) {
	late := ring(t, replica(""), replica("replicas: 1,"), "  launcherCreationPolicy: WaitForWorkersReady",
		"  runPolicy: {suspend: true}")
	if all := made(t, late); all["Job"].Count != 1 || all["Pod"].Count != 1 {
		t.Errorf("got %v", all)
	}
}

func TestAJobThatAnotherClusterRunsMakesNothingHere(t *testing.T) {
	elsewhere := ring(t, replica(""), replica("replicas: 1,"), "  runPolicy: {managedBy: kueue.x-k8s.io/multikueue}")
	if all := made(t, elsewhere); len(all) > 0 {
		t.Errorf("got %v", all)
	}
}

func TestPartsAreTracedToTheirTemplates(t *testing.T) {
	all := made(t, ring(t, replica(""), replica("replicas: 3, restartPolicy: OnFailure,")))
	const specs = "/spec/mpiReplicaSpecs"
	cases := []struct{ kind, from, want string }{
		{"Pod", "/spec/containers/0/image", specs + "/Worker/template/spec/containers/0/image"},
		{"Pod", "/spec/containers/0/env/0", specs + "/Worker/template/spec/containers/0/env/0"},
		{"Pod", "/spec/volumes/0", specs + "/Worker/template/spec"},
		{"Pod", "/spec/hostname", "/metadata/name"},
		{"Pod", "/spec/restartPolicy", specs + "/Worker/restartPolicy"},
		{"Job", "/spec/template/spec/containers/0/image", specs + "/Launcher/template/spec/containers/0/image"},
		{"Job", "/spec/backoffLimit", specs + "/Launcher/template"},
		{"Job", "/metadata/name", "/metadata/name"},
	}
	for _, tested := range cases {
		if got := all[tested.kind].Trace(tested.from); got != tested.want {
			t.Errorf("%s of %s: got %s, want %s", tested.from, tested.kind, got, tested.want)
		}
	}
}

func BenchmarkMPIJob(b *testing.B) {
	review := judge.Review{Object: ring(b, replica(""), replica("replicas: 8,"))}
	for b.Loop() {
		if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
		if _, err := Operator.Children(review); err != nil {
			b.Fatal(err)
		}
	}
}
