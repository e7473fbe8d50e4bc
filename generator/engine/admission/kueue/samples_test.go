package kueue

const clusterQueue = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: nlp}
spec:
  cohortName: pool
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - name: h100
      resources:
      - {name: cpu, nominalQuota: "100"}
      - {name: nvidia.com/gpu, nominalQuota: "8", borrowingLimit: "8", lendingLimit: "4"}
    - name: a100
      resources:
      - {name: cpu, nominalQuota: "100"}
      - {name: nvidia.com/gpu, nominalQuota: "0"}
`

const resourceFlavor = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: h100}
spec:
  nodeLabels: {accelerator: h100}
  nodeTaints:
  - {key: spot, value: "true", effect: NoSchedule}
  - {key: gpu, value: "true", effect: NoSchedule}
  tolerations:
  - {key: spot, operator: Exists}
`

const cohort = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: pool}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: h100
      resources:
      - {name: cpu, nominalQuota: "10"}
`

const pyTorchJob = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: bert
  namespace: team-nlp
  labels: {kueue.x-k8s.io/queue-name: nlp}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.example.com/bert:1
            resources:
              requests: {cpu: 1000m, nvidia.com/gpu: "1"}
              limits: {nvidia.com/gpu: "1"}
    Worker:
      replicas: 3
      template:
        metadata: {}
        spec:
          containers:
          - name: logger
            image: registry.example.com/logger:1
          - name: pytorch
            image: registry.example.com/bert:1
            resources:
              requests: {cpu: "1", nvidia.com/gpu: "1"}
              limits: {nvidia.com/gpu: "1"}
`

const batchJob = `
apiVersion: batch/v1
kind: Job
metadata:
  name: sweep
  namespace: team-nlp
  labels: {kueue.x-k8s.io/queue-name: nlp}
  annotations: {}
spec:
  parallelism: 10
  completions: 10
  template:
    metadata: {}
    spec:
      restartPolicy: Never
      containers:
      - name: sweep
        image: registry.example.com/sweep:1
        resources:
          requests: {cpu: "1", nvidia.com/gpu: "1"}
`

const rayJob = `
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: tune
  namespace: team-nlp
  labels: {kueue.x-k8s.io/queue-name: nlp}
spec:
  entrypoint: python tune.py
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
          - name: head
            image: registry.example.com/ray:2
            resources: {requests: {cpu: "1"}}
    workerGroupSpecs:
    - groupName: small
      replicas: 2
      rayStartParams: {}
      template:
        spec:
          containers:
          - name: worker
            image: registry.example.com/ray:2
            resources: {requests: {cpu: "1", nvidia.com/gpu: "1"}}
`

const trainJob = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata:
  name: bert
  namespace: team-nlp
  labels: {kueue.x-k8s.io/queue-name: nlp}
spec:
  runtimeRef: {apiGroup: trainer.kubeflow.org, kind: ClusterTrainingRuntime, name: torch}
  trainer: {numNodes: 3}
`

const trainingRuntime = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy:
    numNodes: 1
    torch: {}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec:
            template:
              spec:
                containers:
                - name: node
                  image: registry.example.com/torch:2
                  resources: {requests: {cpu: "1", nvidia.com/gpu: "4"}}
`

const (
	queuePointer    = "/metadata/labels/kueue.x-k8s.io~1queue-name"
	priorityPointer = "/metadata/labels/kueue.x-k8s.io~1priority-class"
	timePointer     = "/metadata/labels/kueue.x-k8s.io~1max-exec-time-seconds"
	minimumPointer  = "/metadata/annotations/kueue.x-k8s.io~1job-min-parallelism"
	elasticPointer  = "/metadata/annotations/kueue.x-k8s.io~1elastic-job"
	requiredRack    = "kueue.x-k8s.io~1podset-required-topology"
	firstFlavor     = "/spec/resourceGroups/0/flavors/0"
	secondFlavor    = "/spec/resourceGroups/0/flavors/1"
	workerTemplate  = "/spec/pytorchReplicaSpecs/Worker/template"
)
