"""F2 to F5: OpenShift, an air gap, disruptions and monitoring; and of D8 what nobody drives out."""

from typing import Any

import pytest
from scenarios.rendered import Rendered, pod_specs


def applications(rendered: Rendered, cluster: str) -> list[dict[str, Any]]:
    return [item for item in rendered.objects(cluster, "argocd/platform") if item["kind"] == "Application"]


@pytest.mark.parametrize(
    ("app", "kind"), [("job-vision-resnet50", "PyTorchJob"), ("job-vision-mnist-slice", "Job")]
)
def test_openshift_gives_the_user_id_from_the_range_of_the_namespace(
    rendered: Rendered, app: str, kind: str
) -> None:
    for pod in pod_specs(rendered.find("openshift-lab", app, kind)):
        assert not {"runAsUser", "runAsGroup", "fsGroup"} & set(pod["securityContext"])
        assert pod["securityContext"]["runAsNonRoot"] is True


def test_only_the_approved_namespace_is_bound_to_a_security_context_constraint(rendered: Rendered) -> None:
    bound = {
        (item["metadata"]["namespace"], item["roleRef"]["name"])
        for app in rendered.apps("openshift-lab", "team-")
        for item in rendered.objects("openshift-lab", app)
        if item["kind"] == "RoleBinding" and item["roleRef"]["name"].startswith("system:openshift:scc:")
    }
    assert bound == {("team-nlp-fabric", "system:openshift:scc:privileged")}


def test_every_image_and_chart_behind_the_air_gap_comes_through_a_mirror(rendered: Rendered) -> None:
    for app in rendered.apps("openshift-lab", "job-"):
        for item in rendered.objects("openshift-lab", app):
            for pod in pod_specs(item):
                for container in [*pod["containers"], *pod.get("initContainers", [])]:
                    assert container["image"].startswith("mirror.lab.example.com/")
    for application in applications(rendered, "openshift-lab"):
        for source in application["spec"].get("sources", [application["spec"].get("source")]):
            assert source["repoURL"].startswith("https://git.lab.example.com/")


def test_image_that_the_operator_puts_into_pods_is_mirrored_too(rendered: Rendered) -> None:
    config = rendered.find("openshift-lab", "operator-training-operator", "ConfigMap")
    images = [
        line.split()[-1] for line in config["data"]["initContainer.yaml"].splitlines() if " image:" in line
    ]
    assert images
    assert all(image.startswith("mirror.lab.example.com/") for image in images)


def test_run_that_must_not_be_disturbed_waits_for_what_is_guaranteed(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-fraud-fraud-terminal", "Job")
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "fraud-guaranteed"
    queue = rendered.find("aws-prod", "queues", "ClusterQueue", "fraud-guaranteed")["spec"]
    assert "cohortName" not in queue, "what is lent can be taken back"
    assert set(queue["preemption"].values()) == {"Never"}


def test_budget_and_annotations_keep_its_node(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-fraud-fraud-terminal", "Job")
    template = job["spec"]["template"]["metadata"]
    assert template["annotations"]["karpenter.sh/do-not-disrupt"] == "true"
    assert template["annotations"]["cluster-autoscaler.kubernetes.io/safe-to-evict"] == "false"
    budget = rendered.find("aws-prod", "job-fraud-fraud-terminal", "PodDisruptionBudget")["spec"]
    assert budget["minAvailable"] == 1
    assert budget["selector"]["matchLabels"].items() <= template["labels"].items()


def test_nobody_else_has_a_budget(rendered: Rendered) -> None:
    with_budget = [
        app
        for cluster in rendered.clusters()
        for app in rendered.apps(cluster, "job-")
        if "PodDisruptionBudget" in rendered.kinds(cluster, app)
    ]
    assert with_budget == ["job-fraud-fraud-terminal"]


def test_runs_of_two_days_end_by_the_queue(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-fraud-fraud-transformer", "PyTorchJob")
    assert job["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"] == str(2 * 86_400)


def test_prometheus_finds_operators_and_the_runs_that_show_metrics(rendered: Rendered) -> None:
    monitors = {
        item["metadata"]["name"]
        for item in rendered.objects("aws-prod", "monitoring")
        if item["kind"] in ("PodMonitor", "ServiceMonitor")
    }
    assert {"training-operator", "kuberay", "kueue", "trainer", "team-fraud"} <= monitors
    monitor = rendered.find("aws-prod", "monitoring", "PodMonitor", "team-fraud")
    assert monitor["metadata"]["labels"]["release"] == "kube-prometheus", "or Prometheus would not select it"
    job = rendered.find("aws-prod", "job-fraud-fraud-transformer", "PyTorchJob")
    for part in job["spec"]["pytorchReplicaSpecs"].values():
        labels = part["template"]["metadata"]["labels"]
        assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
        (port,) = part["template"]["spec"]["containers"][0]["ports"]
        assert (port["name"], port["containerPort"]) == (
            monitor["spec"]["podMetricsEndpoints"][0]["port"],
            9400,
        )


def test_stuck_failed_and_idle_runs_raise_an_alert_and_show_on_a_dashboard(rendered: Rendered) -> None:
    (group,) = rendered.find("aws-prod", "monitoring", "PrometheusRule")["spec"]["groups"]
    alerts = {rule["alert"] for rule in group["rules"]}
    assert {"TrainingPodPending", "TrainingQueueStalled", "TrainingJobFailed", "TrainingGpuIdle"} <= alerts
    dashboard = rendered.find("aws-prod", "monitoring", "ConfigMap")
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
