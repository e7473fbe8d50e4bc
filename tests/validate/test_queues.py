"""From a workload's label to the quota that it needs."""

import pytest
from validate.views import NAMESPACE, lab, say, see

from trainshed.validate.policy import (
    no_such_cluster_queue,
    no_such_flavor,
    no_such_priority_class,
    no_such_queue,
    resource_uncovered,
)

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: team-vision
  labels: {kueue.x-k8s.io/queue-name: vision}
spec:
  template:
    spec:
      containers:
      - name: train
        resources: {requests: {cpu: 1, memory: 1Gi}, limits: {nvidia.com/gpu: 1}}
---
"""
LOCAL = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: NAME, namespace: team-vision}, spec: {clusterQueue: research}}\n---\n"
QUEUE = LOCAL.replace("NAME", "vision")
CLUSTER_QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  resourceGroups:
  - coveredResources: [cpu, memory, nvidia.com/gpu]
    flavors: [{name: h100}]
---
"""
FLAVOR = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: h100}}\n---\n"
CRON = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: team-vision}
spec:
  jobTemplate:
    metadata: {labels: {kueue.x-k8s.io/queue-name: vison}}
---
"""
CLASS = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: high}, value: 1}\n---\n"


def test_a_queue_that_is_there_is_found() -> None:
    assert say(no_such_queue.check(see(NAMESPACE + QUEUE + JOB, lab()))) == []


def test_a_label_that_names_no_queue_of_the_namespace_is_said() -> None:
    view = see(NAMESPACE + LOCAL.replace("NAME", "visions") + JOB, lab())
    (finding,) = no_such_queue.check(view)
    assert say([finding]) == [
        "error at Job train/metadata/labels/kueue.x-k8s.io~1queue-name: no-such-queue: "
        'Job team-vision/train waits in queue "vision", and there is no such LocalQueue in namespace team-vision'
    ]
    assert finding.detail == 'did you mean "visions"?'


def test_of_a_schedule_the_label_of_its_jobs_counts() -> None:
    (said,) = say(no_such_queue.check(see(NAMESPACE + QUEUE + CRON, lab())))
    assert "at CronJob nightly/spec/jobTemplate/metadata/labels/kueue.x-k8s.io~1queue-name" in said


def test_bare_manifests_are_only_warned_and_only_of_what_they_could_know() -> None:
    assert say(no_such_queue.check(see(JOB))) == []
    (said,) = say(no_such_queue.check(see(JOB + LOCAL.replace("NAME", "other"))))
    assert said.startswith("warning at Job train/metadata")


def test_a_queue_that_leads_to_no_cluster_queue_is_said() -> None:
    assert say(no_such_cluster_queue.check(see(QUEUE + CLUSTER_QUEUE, lab()))) == []
    assert say(no_such_cluster_queue.check(see(QUEUE))) == []
    (said,) = say(no_such_cluster_queue.check(see(QUEUE, lab())))
    assert said.startswith("error at LocalQueue vision/spec/clusterQueue: no-such-cluster-queue: ")


def test_a_quota_of_a_flavor_that_is_not_there_is_said() -> None:
    assert say(no_such_flavor.check(see(CLUSTER_QUEUE + FLAVOR, lab()))) == []
    (said,) = say(no_such_flavor.check(see(CLUSTER_QUEUE + FLAVOR.replace("h100", "a100"), lab())))
    assert said.startswith(
        "error at ClusterQueue research/spec/resourceGroups/0/flavors/0/name: no-such-flavor: "
    )


def test_a_resource_without_a_quota_is_said_at_the_request_for_it() -> None:
    assert say(resource_uncovered.check(see(QUEUE + CLUSTER_QUEUE + JOB))) == []
    uncovered = CLUSTER_QUEUE.replace(", nvidia.com/gpu", "")
    assert say(resource_uncovered.check(see(QUEUE + uncovered + JOB))) == [
        "error at Job train/spec/template/spec/containers/0/resources/limits/nvidia.com~1gpu"
        ": resource-uncovered: Job team-vision/train asks for nvidia.com/gpu, which its queue does not cover"
    ]


def test_none_of_a_resource_needs_no_quota() -> None:
    none = JOB.replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 0, example.com/nic: 0")
    assert say(resource_uncovered.check(see(QUEUE + CLUSTER_QUEUE + none))) == []


@pytest.mark.parametrize(
    "setting",
    [
        "excludeResourcePrefixes: [ephemeral-]",
        "quotaCheckStrategy: IgnoreUndeclared",
        "transformations: [{input: ephemeral-storage, strategy: Replace, outputs: {}}]",
    ],
)
def test_what_kueue_is_told_to_leave_out_needs_no_quota(setting: str) -> None:
    with_disk = JOB.replace("cpu: 1,", "cpu: 1, ephemeral-storage: 1Gi,")
    settings = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: kueue-manager-config, namespace: kueue-system}}
data: {{controller_manager_config.yaml: "resources: {{{setting}}}"}}
---
"""
    objects = QUEUE + CLUSTER_QUEUE + with_disk
    assert len(say(resource_uncovered.check(see(objects)))) == 1
    assert say(resource_uncovered.check(see(objects + settings))) == []


def test_settings_of_kueue_are_read_in_the_values_of_its_chart_too() -> None:
    application = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: kueue, namespace: argocd}
spec:
  sources:
  - helm: {valuesObject: {managerConfig: {controllerManagerConfigYaml: "resources: {excludeResourcePrefixes: [nvidia.com/]}"}}}
"""
    objects = QUEUE + CLUSTER_QUEUE.replace(", nvidia.com/gpu", "") + JOB
    assert say(resource_uncovered.check(see(objects + application))) == []


def test_a_priority_that_is_not_there_is_said() -> None:
    job = JOB.replace("queue-name: vision", "priority-class: high")
    assert say(no_such_priority_class.check(see(job + CLASS, lab()))) == []
    (said,) = say(no_such_priority_class.check(see(job + CLASS.replace("high", "low"), lab())))
    assert said.startswith(
        "error at Job train/metadata/labels/kueue.x-k8s.io~1priority-class: no-such-priority-class: "
    )


def test_the_priority_class_of_a_pod_is_there_or_kubernetes_own() -> None:
    named = JOB.replace(
        "      containers:", "      priorityClassName: system-node-critical\n      containers:"
    )
    assert say(no_such_priority_class.check(see(named, lab()))) == []
    own = named.replace("system-node-critical", "urgent")
    (said,) = say(no_such_priority_class.check(see(own, lab())))
    assert said.startswith(
        "error at Job train/spec/template/spec/priorityClassName: no-such-priority-class: "
    )
