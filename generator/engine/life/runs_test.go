package life

import (
	"strings"
	"testing"
)

const queues = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: h100}
spec:
  nodeLabels: {pool: h100}
  tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: h100
      resources: [{name: cpu, nominalQuota: 8}, {name: memory, nominalQuota: 8Gi}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team, namespace: team}
spec: {clusterQueue: team}
`

const training = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: train
  labels: {kueue.x-k8s.io/queue-name: team}
spec:
  runPolicy: {cleanPodPolicy: All}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
          - name: pytorch
            image: example.com/train:1
            resources: {requests: {cpu: 500m, memory: 1Gi}}
`

const frameworks = `
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: argocd}
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    integrations: {frameworks: [batch/job, kubeflow.org/pytorchjob]}
`

// queued is a world with one run that waits in a queue.
func queued(test *testing.T) *played {
	test.Helper()
	files := simple()
	files["hand/kueue.yaml"] = frameworks
	files["data/queues.yaml"] = queues
	world := play(test, files)
	world.log.take()
	world.commit(map[string]string{"root/run.yaml": app("run", "run", cascades), "run/train.yaml": training})
	return world
}

func (played *played) do(step step) {
	played.test.Helper()
	if err := played.play(step); err != nil {
		played.test.Fatal(err)
	}
	played.rest()
}

func (played *played) run() *object {
	return played.store.get(key{"kubeflow.org", "PyTorchJob", "team", "train"})
}

func TestARunWaitsInItsQueueAndIsInSync(test *testing.T) {
	world := queued(test)
	if said := world.tells("created"); !strings.Contains(said, "Workload team/pytorchjob-train-") {
		test.Errorf("created\n%s", said)
	}
	if !boolIn(world.run().Object, "spec", "runPolicy", "suspend") {
		test.Error("it does not wait")
	}
	if found := conditionOf(world.run(), "Suspended"); textIn(found, "reason") != "PyTorchJobSuspended" {
		test.Errorf("the operator says %v", found)
	}
	if status := world.status("run"); !strings.HasPrefix(status, "Synced") {
		test.Errorf("run is %s: %+v", status, world.argo.apps())
	}
}

func TestAnAdmittedRunStartsOnceOnItsFlavorAndArgoCDLeavesItAlone(test *testing.T) {
	world := queued(test)
	world.log.take()
	world.do(step{Do: "run", subject: subject{Name: "train"}})
	template := mapIn(world.run().Object, "spec", "pytorchReplicaSpecs", "Master", "template")
	if textIn(template, "spec", "nodeSelector", "pool") != "h100" || len(listIn(template, "spec", "tolerations")) != 1 {
		test.Errorf("got %v", template)
	}
	if said := world.tells("started"); said != "PyTorchJob team/train by training-operator" {
		test.Errorf("started %q", said)
	}
	world.commit(map[string]string{"data/more.yaml": configMap("more", "")})
	for _, what := range []string{"changed", "suspended", "stopped", "started"} {
		if said := world.tells(what); said != "" {
			test.Errorf("%s: %s", what, said)
		}
	}
	if status := world.status("run"); !strings.HasPrefix(status, "Synced") {
		test.Errorf("run is %s: %+v", status, world.argo.apps())
	}
}

func TestAnEditOfARunningRunSuspendsItAndPutsItBackIntoTheQueue(test *testing.T) {
	world := queued(test)
	world.do(step{Do: "run", subject: subject{Name: "train"}})
	world.log.take()
	world.commit(map[string]string{"run/train.yaml": strings.Replace(training, "train:1", "train:2", 1)})
	events := world.log.take()
	told := map[string]bool{}
	for _, one := range events {
		told[one.What+" "+one.Kind] = true
	}
	for _, wanted := range []string{"suspended PyTorchJob", "stopped PyTorchJob", "deleted Workload", "created Workload"} {
		if !told[wanted] {
			test.Errorf("%s is not in %v", wanted, events)
		}
	}
}

func TestAFinishedRunStaysAndStartsAgainOnlyInAnEmptyCluster(test *testing.T) {
	world := queued(test)
	world.do(step{Do: "run", subject: subject{Name: "train"}})
	world.do(step{Do: "finish", subject: subject{Name: "train"}})
	world.log.take()
	world.commit(map[string]string{"data/more.yaml": configMap("more", "")})
	if said := world.tells("started"); said != "" {
		test.Errorf("started %q", said)
	}
	world.do(step{Do: "rebuild"})
	if err := world.apply("hand"); err != nil {
		test.Fatal(err)
	}
	world.rest()
	world.do(step{Do: "run", subject: subject{Name: "train"}})
	if said := world.tells("started"); said != "PyTorchJob team/train by training-operator" {
		test.Errorf("started %q", said)
	}
}

func TestARunThatDeletesItselfIsMadeAgainAndTrainsAgain(test *testing.T) {
	files := simple()
	files["hand/kueue.yaml"], files["data/queues.yaml"] = frameworks, queues
	files["root/run.yaml"] = app("run", "run", cascades)
	files["run/train.yaml"] = strings.Replace(training, "cleanPodPolicy: All", "ttlSecondsAfterFinished: 60", 1)
	world := play(test, files)
	for _, what := range []string{"run", "finish", "later", "run"} {
		world.do(step{Do: what, subject: subject{Name: "train"}})
	}
	if said := world.tells("started"); strings.Count(said, "team/train") != 2 {
		test.Errorf("started %q", said)
	}
}

func TestAPreemptedRunIsRestoredAndWaits(test *testing.T) {
	world := queued(test)
	world.do(step{Do: "run", subject: subject{Name: "train"}})
	world.do(step{Do: "evict", subject: subject{Name: "train"}})
	template := mapIn(world.run().Object, "spec", "pytorchReplicaSpecs", "Master", "template")
	if textIn(template, "spec", "nodeSelector", "pool") != "" || !boolIn(world.run().Object, "spec", "runPolicy", "suspend") {
		test.Errorf("got %v", world.run().Object["spec"])
	}
}
