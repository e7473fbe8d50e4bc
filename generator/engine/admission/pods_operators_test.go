package admission

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"trainshed.dev/engine/admission/judge"
)

// kubeflowJob is one of the Training Operator's, with replicas by their type.
func kubeflowJob(kind, field, container string, replicas ...string) string {
	text := "apiVersion: kubeflow.org/v1\nkind: " + kind + "\nmetadata: {name: net, namespace: ml}\nspec:\n  " + field + ":\n"
	for _, replica := range replicas {
		role, count, _ := strings.Cut(replica, " ")
		text += fmt.Sprintf("    %s: {replicas: %s, template: {spec: {containers: [{name: %s, image: train:1}]}}}\n",
			role, count, container)
	}
	return text
}

func TestEveryReplicaOfAPyTorchJobKnowsItsRank(t *testing.T) {
	all := sound(t, kubeflowJob("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master 1", "Worker 2")+"  nprocPerNode: '2'\n")
	expect(t, all,
		"-1 Master 0 Pod net-master-0", "-1 Master 0 Service net-master-0",
		"-1 Worker 0 Pod net-worker-0", "-1 Worker 1 Pod net-worker-1",
		"-1 Worker 0 Service net-worker-0", "-1 Worker 1 Service net-worker-1",
	)
	expectTold(t, all, "RANK", "0", "1", "2")
	expectTold(t, all, "PET_NODE_RANK", "0", "1", "2")
	expectTold(t, all, "WORLD_SIZE", "6", "6", "6")
	expectTold(t, all, "PET_NPROC_PER_NODE", "2", "2", "2")
	expectTold(t, all, "MASTER_ADDR", "net-master-0", "net-master-0", "net-master-0")
	expectTold(t, all, "PET_NNODES", "3", "3", "3")
	for pointer, want := range map[string]string{
		"/spec/restartPolicy":                 "OnFailure",
		"/spec/terminationGracePeriodSeconds": "30",
		"/spec/dnsPolicy":                     "ClusterFirst",
	} {
		if got := textAt(t, all, "Pod", pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
}

func TestAnElasticJobHasAllThePodsThatItMayGrowTo(t *testing.T) {
	all := sound(t, kubeflowJob("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Worker 2")+
		"  elasticPolicy: {minReplicas: 1, maxReplicas: 3, rdzvBackend: c10d, maxRestarts: 5}\n")
	expectTold(t, all, "PET_NNODES", "1:3", "1:3", "1:3")
	expectTold(t, all, "PET_RDZV_ENDPOINT", "net-worker-0:23456", "net-worker-0:23456", "net-worker-0:23456")
	expectTold(t, all, "RANK", "-", "-", "-")
}

func TestEveryReplicaOfTheOtherFrameworksIsToldItsPlace(t *testing.T) {
	all := sound(t, kubeflowJob("TFJob", "tfReplicaSpecs", "tensorflow", "Chief 1", "PS 1", "Worker 2"))
	for place, task := range []string{`"chief","index":0`, `"ps","index":0`, `"worker","index":0`, `"worker","index":1`} {
		config := told(all, "TF_CONFIG")[place]
		if !strings.Contains(config, `"task":{"type":`+task) || !strings.Contains(config, "net-worker-1.ml.svc:2222") {
			t.Errorf("TF_CONFIG of pod %d is %s", place, config)
		}
	}
	all = sound(t, kubeflowJob("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master 1", "Worker 2"))
	expectTold(t, all, "RANK", "0", "1", "2")
	expectTold(t, all, "WORLD_SIZE", "3", "3", "3")
	all = sound(t, kubeflowJob("PaddleJob", "paddleReplicaSpecs", "paddle", "Worker 2"))
	expectTold(t, all, "PADDLE_NNODES", "2", "2")
	expectTold(t, all, "PADDLE_JOB_ID", "net", "net")
	all = sound(t, kubeflowJob("JAXJob", "jaxReplicaSpecs", "jax", "Worker 3"))
	expectTold(t, all, "PROCESS_ID", "0", "1", "2")
	expectTold(t, all, "NUM_PROCESSES", "3", "3", "3")
	expectTold(t, all, "COORDINATOR_ADDRESS", "net-worker-0", "net-worker-0", "net-worker-0")
}

func TestAnOldMPIJobNamesAllItsHosts(t *testing.T) {
	all := sound(t, kubeflowJob("MPIJob", "mpiReplicaSpecs", "mpi", "Launcher 1", "Worker 2"))
	hosts := textAt(t, all, "ConfigMap", "/data/hostfile")
	if hosts != "net-worker-0 slots=1\nnet-worker-1 slots=1\n" {
		t.Errorf("got %q", hosts)
	}
	script := textAt(t, all, "ConfigMap", "/data/discover_hosts.sh")
	if !strings.Contains(script, "net-worker-0") || !strings.Contains(script, "net-worker-1") {
		t.Errorf("got %q", script)
	}
	if count := len(told(all, "")); count != 3 {
		t.Errorf("got %d pods", count)
	}
}

const mpiJob = `
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: ring, namespace: hpc}
spec:
  slotsPerWorker: 2
  launcherCreationPolicy: WaitForWorkersReady
  runPolicy: {backoffLimit: 1}
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: mpi, image: mpi:1, command: [mpirun, train]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: mpi, image: mpi:1}]}}}
`

func TestAnMPIJobIsSeenAsWhenItsWorkersRun(t *testing.T) {
	all := sound(t, mpiJob)
	expect(t, all,
		"-1  0 Service ring", "-1  0 ConfigMap ring-config", "-1  0 Secret ring-ssh",
		"-1 Launcher 0 Job ring-launcher", "3 Launcher 0 Pod ring-launcher-bbbbb",
		"-1 Worker 0 Pod ring-worker-0", "-1 Worker 1 Pod ring-worker-1",
	)
	hosts := textAt(t, all, "ConfigMap", "/data/hostfile")
	if hosts != "ring-worker-0.ring.hpc.svc slots=2\nring-worker-1.ring.hpc.svc slots=2\n" {
		t.Errorf("got %q", hosts)
	}
	script := textAt(t, all, "ConfigMap", "/data/discover_hosts.sh")
	if !strings.HasSuffix(script, "echo ring-worker-0.ring.hpc.svc\necho ring-worker-1.ring.hpc.svc\n") {
		t.Errorf("got %q", script)
	}
	if key := textAt(t, all, "Secret", "/data/ssh-privatekey"); key != "cGxhY2Vob2xkZXI=" {
		t.Errorf("the key is %s", key)
	}
	if again := sound(t, mpiJob); !reflect.DeepEqual(all, again) {
		t.Error("the same question has another answer")
	}
}

const sweep = `
apiVersion: batch/v1
kind: Job
metadata: {name: sweep, namespace: ml}
spec:
  completionMode: Indexed
  completions: 3
  parallelism: 2
  backoffLimitPerIndex: 1
  template: {spec: {restartPolicy: Never, containers: [{name: train, image: train:1}]}}
`

func TestEveryIndexOfAJobHasItsPodHoweverManyRunAtOnce(t *testing.T) {
	all := sound(t, sweep)
	expect(t, all,
		"-1  0 Pod sweep-0-bbbbb", "-1  1 Pod sweep-1-bbbbc", "-1  2 Pod sweep-2-bbbbd",
	)
	for index, one := range all {
		for pointer, want := range map[string]string{
			"/metadata/annotations/batch.kubernetes.io~1job-completion-index":    fmt.Sprint(index),
			"/metadata/annotations/batch.kubernetes.io~1job-index-failure-count": "0",
			"/spec/hostname":                fmt.Sprint("sweep-", index),
			"/spec/containers/0/env/0/name": "JOB_COMPLETION_INDEX",
		} {
			if got, _ := judge.At(one.Object, pointer); got != want {
				t.Errorf("%s is %v, want %s", pointer, got, want)
			}
		}
	}
}

func TestAJobWithoutIndexesHasAsManyPodsAsRunAtOnce(t *testing.T) {
	all := sound(t, strings.Replace(strings.Replace(sweep, "Indexed", "NonIndexed", 1), "  backoffLimitPerIndex: 1\n", "", 1))
	expect(t, all, "-1  0 Pod sweep-bbbbb", "-1  1 Pod sweep-bbbbc")
}

func TestAScheduleMakesTheJobOfItsFirstTime(t *testing.T) {
	job := strings.ReplaceAll(strings.SplitN(sweep, "spec:\n", 2)[1], "\n", "\n    ")
	all := sound(t, "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly, namespace: ml}\nspec:\n"+
		"  schedule: 0 1 * * *\n  jobTemplate:\n    spec:\n    "+strings.TrimRight(job, " "))
	want := []string{"-1  0 Job nightly-99999999", "0  0 Pod nightly-99999999-0-bbbbb"}
	if got := titles(all); len(got) != 4 || !reflect.DeepEqual(got[:2], want) {
		t.Errorf("got %q", got)
	}
}

const rayJob = `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune, namespace: ml}
spec:
  entrypoint: python tune.py
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    rayVersion: 2.46.0
    headGroupSpec:
      rayStartParams: {}
      template: {spec: {containers: [{name: head, image: ray:2}]}}
    workerGroupSpecs:
    - {groupName: big, replicas: 2, minReplicas: 1, maxReplicas: 5, rayStartParams: {},
       template: {spec: {containers: [{name: worker, image: ray:2}]}}}
    - {groupName: pair, replicas: 1, minReplicas: 1, maxReplicas: 1, numOfHosts: 2, rayStartParams: {},
       template: {spec: {containers: [{name: worker, image: ray:2}]}}}
`

func TestARayJobMakesItsClusterAndSubmitsToItsHead(t *testing.T) {
	all := sound(t, rayJob)
	got := strings.Join(titles(all), "\n")
	for _, want := range []string{
		"-1  0 RayCluster tune-00000", "0  0 Service tune-00000-head-svc",
		"0 head 0 Pod tune-00000-head-", "0 big 0 Pod ", "0 big 1 Pod ", "0 pair 0 Pod ", "0 pair 1 Pod ",
		"-1 submitter 0 Job tune", " submitter 0 Pod tune-bbbbb",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	addresses := told(all, "RAY_DASHBOARD_ADDRESS")
	if last := addresses[len(addresses)-1]; last != "tune-00000-head-svc.ml.svc.cluster.local:8265" {
		t.Errorf("it submits to %s", last)
	}
	if head := told(all, "FQ_RAY_IP")[1]; head != "tune-00000-head-svc.ml.svc.cluster.local" {
		t.Errorf("workers join %s", head)
	}
	if again := sound(t, rayJob); !reflect.DeepEqual(all, again) {
		t.Error("the same question has another answer")
	}
}

const volcanoJob = `
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: net, namespace: ml}
spec:
  minAvailable: 3
  schedulerName: volcano
  plugins: {env: [], pytorch: [--port=1234]}
  tasks:
  - {name: master, replicas: 1, template: {spec: {containers: [{name: train, image: train:1}]}}}
  - {name: worker, replicas: 2, template: {spec: {containers: [{name: train, image: train:1}]}}}
`

func TestEveryPodOfAVolcanoJobIsWiredByItsPlugins(t *testing.T) {
	all := sound(t, volcanoJob)
	expect(t, all,
		"-1  0 ConfigMap net-svc", "-1  0 Service net",
		"-1 master 0 Pod net-master-0", "-1 worker 0 Pod net-worker-0", "-1 worker 1 Pod net-worker-1",
	)
	expectTold(t, all, "VC_TASK_INDEX", "0", "0", "1")
	expectTold(t, all, "RANK", "0", "1", "2")
	expectTold(t, all, "WORLD_SIZE", "3", "3", "3")
	expectTold(t, all, "MASTER_ADDR", "net-master-0.net", "net-master-0.net", "net-master-0.net")
	expectTold(t, all, "MASTER_PORT", "1234", "1234", "1234")
	if hosts := textAt(t, all, "ConfigMap", "/data/VC_WORKER_HOSTS"); hosts != "net-worker-0.net,net-worker-1.net" {
		t.Errorf("the workers are %s", hosts)
	}
}

func TestAPluginThatIsNotKnownIsSaid(t *testing.T) {
	reply := made(t, strings.Replace(volcanoJob, "env: []", "mpi: []", 1))
	if len(reply.Unjudged) != 1 || !strings.Contains(reply.Unjudged[0].Message, `"mpi"`) {
		t.Errorf("got %v", reply.Unjudged)
	}
}

const set = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store, namespace: ml}
spec:
  replicas: 2
  serviceName: store
  selector: {matchLabels: {app: store}}
  template: {metadata: {labels: {app: store}}, spec: {containers: [{name: main, image: store:1}]}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

func TestEveryPodOfAStatefulSetHasItsClaim(t *testing.T) {
	expect(t, sound(t, set),
		"-1  0 Pod store-0", "-1 data 0 PersistentVolumeClaim data-store-0",
		"-1  1 Pod store-1", "-1 data 1 PersistentVolumeClaim data-store-1",
	)
}
