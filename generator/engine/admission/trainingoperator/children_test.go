package trainingoperator

import (
	"os"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

func made(t testing.TB, object judge.Object, around ...judge.Object) []judge.Child {
	t.Helper()
	found, err := children(judge.Review{Object: object, Around: judge.NewSurroundings("1.33", around)})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func find(t testing.TB, from []judge.Child, kind, role string) judge.Child {
	t.Helper()
	for _, child := range from {
		if judge.KindOf(child.Object).Kind == kind && child.Role == role {
			return child
		}
	}
	t.Fatalf("there is no %s of %q", kind, role)
	return judge.Child{}
}

func at(t testing.TB, object judge.Object, pointer string) any {
	t.Helper()
	value, isThere := judge.At(object, pointer)
	if !isThere {
		t.Fatalf("nothing stands at %s", pointer)
	}
	return value
}

// variable is the value of one in the first container of a pod.
func variable(t testing.TB, pod judge.Object, name string) any {
	t.Helper()
	var found any
	for _, entry := range at(t, pod, "/spec/containers/0/env").([]any) {
		if entry := entry.(map[string]any); entry["name"] == name {
			found = entry["value"]
		}
	}
	return found
}

func pyTorchJob(t testing.TB) judge.Object {
	return job(t, "PyTorchJob", "pytorchReplicaSpecs", replica("Master", "1", "pytorch")+", "+replica("Worker",
		"3", "pytorch"))
}

func TestAPyTorchJobMakesAPodAndAServiceOfEachReplica(t *testing.T) {
	all := made(t, pyTorchJob(t))
	if len(all) != 4 {
		t.Errorf("got %d children", len(all))
	}
	for role, want := range map[string]struct {
		count      int
		name, rank string
	}{"Master": {1, "net-master-0", "0"}, "Worker": {3, "net-worker-2", "3"}} {
		for _, kind := range []string{"Pod", "Service"} {
			child := find(t, all, kind, role)
			if name := at(t, child.Object, "/metadata/name"); name != want.name || child.Count != want.count {
				t.Errorf("%s of %s: got %d of %v", kind, role, child.Count, name)
			}
		}
		pod := find(t, all, "Pod", role).Object
		if rank, size := variable(t, pod, "RANK"), variable(t, pod, "WORLD_SIZE"); rank != want.rank || size != "4" {
			t.Errorf("%s: got rank %v of %v", role, rank, size)
		}
	}
}

func TestAnElasticJobIsCountedAtItsMost(t *testing.T) {
	elastic := job(t, "PyTorchJob", "pytorchReplicaSpecs", replica("Worker", "2", "pytorch"))
	with(elastic, "elasticPolicy", map[string]any{"minReplicas": int64(1), "maxReplicas": int64(12)})
	pod := find(t, made(t, elastic), "Pod", "Worker")
	if name := at(t, pod.Object, "/metadata/name"); pod.Count != 12 || name != "net-worker-11" {
		t.Errorf("got %d of %v", pod.Count, name)
	}
	if got := variable(t, pod.Object, "PET_NNODES"); got != "1:12" {
		t.Errorf("got %v", got)
	}
}

func TestWorkersWaitAsTheOperatorOfTheClusterHasThem(t *testing.T) {
	ours := read(t, `
kind: ConfigMap
metadata: {name: training-operator-init-container, namespace: kubeflow}
data:
  initContainer.yaml: |
    - {name: wait, image: ours, command: [nslookup, "{{.MasterAddr}}"], securityContext: {runAsNonRoot: true}}
`)
	for range 2 { // the operator reads its file once a process
		worker := find(t, made(t, pyTorchJob(t)), "Pod", "Worker").Object
		if name := at(t, worker, "/spec/initContainers/0/name"); name != "init-pytorch" {
			t.Errorf("by default: got %v", name)
		}
		worker = find(t, made(t, pyTorchJob(t), ours), "Pod", "Worker").Object
		if master := at(t, worker, "/spec/initContainers/0/command/1"); master != "net-master-0" {
			t.Errorf("got %v", master)
		}
		if safe := at(t, worker, "/spec/initContainers/0/securityContext/runAsNonRoot"); safe != true {
			t.Errorf("got %v", safe)
		}
	}
}

func TestPartsOfAPodAreTracedToTheirTemplate(t *testing.T) {
	const template = "/spec/pytorchReplicaSpecs/Worker/template"
	object := pyTorchJob(t)
	at(t, object, "/spec/pytorchReplicaSpecs/Worker").(map[string]any)["restartPolicy"] = "ExitCode"
	pod := find(t, made(t, object), "Pod", "Worker")
	if policy := at(t, pod.Object, "/spec/restartPolicy"); policy != "Never" {
		t.Errorf("got %v", policy)
	}
	for from, want := range map[string]string{
		"/spec/containers/0/image":                         template + "/spec/containers/0/image",
		"/spec/containers/0/env/0":                         template + "/spec/containers/0",
		"/spec/initContainers/0/image":                     template + "/spec/image",
		"/spec/nodeSelector":                               template + "/spec/nodeSelector",
		"/spec/restartPolicy":                              "/spec/pytorchReplicaSpecs/Worker/restartPolicy",
		"/metadata/name":                                   "/metadata/name",
		"/metadata/labels/training.kubeflow.org~1job-name": "/metadata/name",
	} {
		if got := pod.Trace(from); got != want {
			t.Errorf("%s: got %s, want %s", from, got, want)
		}
	}
	if got := find(t, made(t, object), "Service", "Worker").Trace("/spec/ports/0"); got != template {
		t.Errorf("got %s", got)
	}
}

func TestEveryFrameworkGivesItsOwnVariables(t *testing.T) {
	cases := []struct{ kind, specs, container, variable string }{
		{"TFJob", "tfReplicaSpecs", "tensorflow", "TF_CONFIG"},
		{"XGBoostJob", "xgbReplicaSpecs", "xgboost", "WORKER_ADDRS"},
		{"PaddleJob", "paddleReplicaSpecs", "paddle", "PADDLE_MASTER"},
	}
	for _, tested := range cases {
		replicas := replica("Master", "1", tested.container) + ", " + replica("Worker", "2", tested.container)
		pod := find(t, made(t, job(t, tested.kind, tested.specs, replicas)), "Pod", "Worker")
		if pod.Count != 2 || variable(t, pod.Object, tested.variable) == nil {
			t.Errorf("%s: got %d without %s", tested.kind, pod.Count, tested.variable)
		}
	}
	pod := find(t, made(t, job(t, "JAXJob", "jaxReplicaSpecs", replica("Worker", "2", "jax"))), "Pod", "Worker")
	if got := variable(t, pod.Object, "COORDINATOR_ADDRESS"); got != "net-worker-0" {
		t.Errorf("got %v", got)
	}
}

func TestAnMPIJobMakesALauncherThatReachesItsWorkers(t *testing.T) {
	all := made(t, job(t, "MPIJob", "mpiReplicaSpecs", replica("Launcher", "1", "mpi")+", "+replica("Worker", "3",
		"mpi")))
	launcher, worker := find(t, all, "Pod", "Launcher"), find(t, all, "Pod", "Worker")
	if name := at(t, worker.Object, "/metadata/name"); worker.Count != 3 || name != "net-worker-2" {
		t.Errorf("got %d of %v", worker.Count, name)
	}
	if name := at(t, launcher.Object, "/spec/initContainers/0/name"); name != "kubectl-delivery" {
		t.Errorf("got %v", name)
	}
	hosts := at(t, find(t, all, "ConfigMap", "").Object, "/data/hostfile").(string)
	if strings.Count(hosts, "slots=1") != 3 {
		t.Errorf("got %s", hosts)
	}
}

func TestAJobThatAnotherClusterRunsMakesNothingHere(t *testing.T) {
	if all := made(t, managed(pyTorchJob(t), "kueue.x-k8s.io/multikueue")); len(all) > 0 {
		t.Errorf("got %d children", len(all))
	}
}

func BenchmarkPyTorchJob(b *testing.B) {
	text, err := os.ReadFile("../../../../rendered/aws-prod/job-nlp-llm-pretrain/pytorchjob-llm-pretrain-5e434eac.yaml")
	if err != nil {
		b.Fatal(err)
	}
	review := judge.Review{Object: read(b, string(text)), Around: judge.NewSurroundings("1.33", nil)}
	for b.Loop() {
		if found, err := Operator.Refusals(review); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
		if _, err := Operator.Children(review); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAJobOfMillionsIsFollowedInTime(t *testing.T) {
	huge := job(t, "PyTorchJob", "pytorchReplicaSpecs", replica("Worker", "2000000000", "pytorch"))
	if got := find(t, made(t, huge), "Pod", "Worker").Count; got != 2_000_000_000 {
		t.Errorf("got %d", got)
	}
}
