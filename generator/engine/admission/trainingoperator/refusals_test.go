package trainingoperator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"trainshed.dev/engine/admission/judge"
)

func read(t testing.TB, text string) judge.Object {
	t.Helper()
	var object judge.Object
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// job is one of a kind, with these replicas.
func job(t testing.TB, kind, specs, replicas string) judge.Object {
	t.Helper()
	return read(t, "apiVersion: kubeflow.org/v1\nkind: "+kind+
		"\nmetadata: {name: net, namespace: team}\nspec: {"+specs+": {"+replicas+"}}")
}

func replica(name, count, container string) string {
	return name + ": {replicas: " + count + ", template: {spec: {containers: [{name: " + container + ", image: net}]}}}"
}

func with(object judge.Object, key string, value any) judge.Object {
	object["spec"].(map[string]any)[key] = value
	return object
}

func named(object judge.Object, name string) judge.Object {
	object["metadata"].(map[string]any)["name"] = name
	return object
}

func managed(object judge.Object, by string) judge.Object {
	return with(object, "runPolicy", map[string]any{"managedBy": by})
}

func TestAWrongJobIsRefusedAtTheVeryWord(t *testing.T) {
	pytorch := func(replicas ...string) judge.Object {
		return job(t, "PyTorchJob", "pytorchReplicaSpecs", strings.Join(replicas, ", "))
	}
	tensorflow := func(replicas ...string) judge.Object {
		return job(t, "TFJob", "tfReplicaSpecs", strings.Join(replicas, ", "))
	}
	mpi := func(replicas ...string) judge.Object {
		return job(t, "MPIJob", "mpiReplicaSpecs", strings.Join(replicas, ", "))
	}
	master, worker := replica("Master", "1", "pytorch"), replica("Worker", "2", "pytorch")
	const specs = "/spec/pytorchReplicaSpecs"
	cases := map[string]struct {
		object         judge.Object
		pointer, words string
	}{
		"a name that begins with a digit": {named(pytorch(master), "1net"), "/metadata/name", "should match"},
		"a manager that nobody knows": {managed(pytorch(master), "me"), "/spec/runPolicy/managedBy",
			`"kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"`},
		"two masters": {pytorch(replica("Master", "2", "pytorch"), worker),
			specs + "/Master/replicas", "must be 1"},
		"no workers": {pytorch(master, replica("Worker", "0", "pytorch")),
			specs + "/Worker/replicas", "must be at least 1"},
		"another replica": {pytorch(master, replica("Chief", "1", "pytorch")), specs + "/Chief", "Unsupported value"},
		"no such container": {pytorch(replica("Master", "1", "torch")), specs + "/Master/template/spec/containers",
			"at least one container with name pytorch"},
		"no image": {pytorch("Worker: {template: {spec: {containers: [{name: pytorch}]}}}"),
			specs + "/Worker/template/spec/containers/0/image", "must be required"},
		"elastic without workers": {with(pytorch(master), "elasticPolicy", map[string]any{}), specs + "/Worker",
			"must be configured if elastic policy is used"},
		"two numbers of processes": {with(with(pytorch(worker), "elasticPolicy",
			map[string]any{"nProcPerNode": int64(2)}), "nprocPerNode", "2"),
			"/spec/elasticPolicy/nProcPerNode", "must not be used with spec.nprocPerNode"},
		"a chief and a master": {tensorflow(replica("Chief", "1", "tensorflow"), replica("Master", "1", "tensorflow")),
			"/spec/tfReplicaSpecs", "more than 1 Chief or Master"},
		"no container of TensorFlow": {tensorflow(replica("Worker", "1", "main")),
			"/spec/tfReplicaSpecs/Worker/template/spec/containers", "name tensorflow"},
		"no master of XGBoost": {job(t, "XGBoostJob", "xgbReplicaSpecs", replica("Worker", "1", "xgboost")),
			"/spec/xgbReplicaSpecs/Master", "must be present"},
		"no container of Paddle": {job(t, "PaddleJob", "paddleReplicaSpecs", replica("Worker", "1", "main")),
			"/spec/paddleReplicaSpecs/Worker/template/spec/containers", `name "paddle"`},
		"a master of JAX": {job(t, "JAXJob", "jaxReplicaSpecs", replica("Master", "1", "jax")),
			"/spec/jaxReplicaSpecs/Master", "Unsupported value"},
		"two launchers": {mpi(replica("Launcher", "2", "mpi"), replica("Worker", "1", "mpi")),
			"/spec/mpiReplicaSpecs/Launcher/replicas", "only 1 launcher"},
		"no launcher": {mpi(replica("Worker", "1", "mpi")), "/spec/mpiReplicaSpecs", "must be present"},
		"a replica of no kind of MPI": {mpi(replica("Launcher", "1", "mpi"), replica("Chief", "1", "mpi")),
			"/spec/mpiReplicaSpecs/Chief", "must be one of"},
		"a launcher without an image": {mpi("Launcher: {template: {spec: {containers: [{name: mpi}]}}}"),
			"/spec/mpiReplicaSpecs/Launcher/template/spec/containers", "Image is undefined"},
		"a launcher without containers": {mpi("Launcher: {template: {spec: {containers: []}}}"),
			"/spec/mpiReplicaSpecs/Launcher/template/spec/containers", "containers definition expected"},
	}
	for situation, want := range cases {
		t.Run(situation, func(t *testing.T) {
			found, err := refusals(judge.Review{Object: want.object})
			if err != nil || len(found) != 1 {
				t.Fatalf("got %v %v", found, err)
			}
			got := found[0]
			if got.Pointer != want.pointer || !strings.Contains(got.Message, want.words) || got.Judge != "training-operator" {
				t.Errorf("got %q at %q, want %q at %q", got.Message, got.Pointer, want.words, want.pointer)
			}
		})
	}
}

func TestAllFaultsAreRefusedInOneOrder(t *testing.T) {
	wrong := job(t, "PyTorchJob", "pytorchReplicaSpecs", replica("Worker", "0", "pytorch")+", "+replica("Master",
		"2", "torch"))
	want := []string{"Master/replicas", "Master/template/spec/containers", "Worker/replicas"}
	for range 20 { // the webhook reads the replicas in no order
		found, err := refusals(judge.Review{Object: wrong})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, refusal := range found {
			got = append(got, strings.TrimPrefix(refusal.Pointer, "/spec/pytorchReplicaSpecs/"))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v", got)
		}
	}
}

func TestWhoManagesAJobCannotChangeButForPyTorchWhereNobodyLooks(t *testing.T) {
	changes := map[string]int{"TFJob": 1, "PyTorchJob": 0}
	for kind, want := range changes {
		specs, container := "tfReplicaSpecs", "tensorflow"
		if kind == "PyTorchJob" {
			specs, container = "pytorchReplicaSpecs", "pytorch"
		}
		before := managed(job(t, kind, specs, replica("Worker", "1", container)), "kubeflow.org/training-operator")
		after := managed(job(t, kind, specs, replica("Worker", "1", container)), "kueue.x-k8s.io/multikueue")
		found, err := refusals(judge.Review{Object: after, Before: before})
		if err != nil || len(found) != want {
			t.Errorf("%s: got %v %v", kind, found, err)
		}
	}
}

func TestWhatWeRenderIsAccepted(t *testing.T) {
	paths, _ := filepath.Glob("../../../../rendered/*/*/pytorchjob-*.yaml")
	if len(paths) == 0 {
		t.Fatal("there is no rendered PyTorchJob")
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
