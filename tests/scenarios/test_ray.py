"""C5 to C7: Ray Train on as many GPUs as the queue can spare, Ray Tune, Ray Data, and a cluster that stays."""

from typing import Any

import pytest
from scenarios.rendered import Rendered, pod_specs, run_labels


@pytest.fixture
def job(rendered: Rendered) -> dict[str, Any]:
    return rendered.find("gke-research", "job-recsys-two-tower", "RayJob")


def test_ray_scales_between_one_and_four_workers(job: dict[str, Any]) -> None:
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["enableInTreeAutoscaling"] is True
    (worker,) = cluster["workerGroupSpecs"]
    assert (worker["replicas"], worker["minReplicas"], worker["maxReplicas"]) == (1, 1, 4)
    assert worker["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"


def test_ray_train_may_take_as_many_workers_as_the_cluster_grows_to(job: dict[str, Any]) -> None:
    words = job["spec"]["entrypoint"].split()
    assert words[:2] == ["python", "/code/two_tower.py"]
    (group,) = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert f"--min-workers={group['minReplicas']}" in words
    assert f"--max-workers={group['maxReplicas']}" in words


def test_head_does_no_gpu_work(job: dict[str, Any]) -> None:
    head = job["spec"]["rayClusterSpec"]["headGroupSpec"]
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert head["template"]["spec"]["containers"][0]["resources"]["requests"] == {
        "cpu": "4",
        "memory": "16Gi",
    }
    assert head["template"]["spec"]["nodeSelector"]["node.kubernetes.io/instance-type"] == "n2-standard-32"


def test_queue_follows_because_elastic_jobs_are_on(job: dict[str, Any]) -> None:
    assert job["metadata"]["annotations"]["kueue.x-k8s.io/elastic-job"] == "true"
    assert run_labels(job)["queue-name"] == "recsys"


def test_only_the_pod_with_the_autoscaler_gets_a_token(job: dict[str, Any]) -> None:
    """Without a token the autoscaler cannot ask the API server for workers."""
    tokens = {
        pod["containers"][0]["name"]: pod["automountServiceAccountToken"] for pod in pod_specs(job["spec"])
    }
    assert tokens == {"ray-head": True, "ray-worker": False, "ray-job-submitter": False}
    sidecar = job["spec"]["rayClusterSpec"]["autoscalerOptions"]
    assert sidecar["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }


def test_pods_of_the_run_reach_one_another_and_nobody_else_reaches_them(
    rendered: Rendered, job: dict[str, Any]
) -> None:
    spec = rendered.find("gke-research", "job-recsys-two-tower", "NetworkPolicy")["spec"]
    peers = {"podSelector": {"matchLabels": {"trainshed.dev/run": job["metadata"]["name"]}}}
    assert spec == {
        **peers,
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [{"from": [peers]}],
        "egress": [{"to": [peers]}],
    }
    cluster = job["spec"]["rayClusterSpec"]
    templates = [
        cluster["headGroupSpec"]["template"],
        cluster["workerGroupSpecs"][0]["template"],
        job["spec"]["submitterPodTemplate"],
    ]
    for template in templates:
        assert template["metadata"]["labels"]["trainshed.dev/run"] == job["metadata"]["name"]


def test_tune_has_four_gpus_for_its_trials(rendered: Rendered) -> None:
    job = rendered.find("gke-research", "job-recsys-tune-two-tower", "RayJob")
    assert job["spec"]["entrypoint"] == "python -m two_tower.tune --trials=24"
    (group,) = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert (group["replicas"], group["minReplicas"], group["maxReplicas"]) == (4, 4, 4)
    (pod,) = pod_specs(group)
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "1"


def test_data_is_prepared_on_cpus_and_trained_on_gpus_in_one_cluster(rendered: Rendered) -> None:
    job = rendered.find("gke-research", "job-recsys-sessions-ray-data", "RayJob")
    groups = {group["groupName"]: group for group in job["spec"]["rayClusterSpec"]["workerGroupSpecs"]}
    assert {name: group["replicas"] for name, group in groups.items()} == {"preprocess": 4, "train": 2}
    gpus = {
        name: pod["containers"][0]["resources"]["limits"].get("nvidia.com/gpu")
        for name, group in groups.items()
        for pod in pod_specs(group)
    }
    assert gpus == {"preprocess": None, "train": "1"}


def test_cluster_that_stays_has_one_name_and_grows_when_it_is_used(rendered: Rendered) -> None:
    cluster = rendered.find("gke-research", "job-recsys-ray-desk", "RayCluster")
    assert cluster["metadata"]["name"] == "ray-desk", "the next edit changes this one"
    (group,) = cluster["spec"]["workerGroupSpecs"]
    assert (group["minReplicas"], group["maxReplicas"]) == (1, 3)
    assert cluster["spec"]["enableInTreeAutoscaling"] is True
