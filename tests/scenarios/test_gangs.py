"""D3, D4 and D7: pods started together without Kueue, and GPUs in parts."""

import json

import pytest
from scenarios.rendered import Rendered, pod_specs


def operator_args(rendered: Rendered, cluster: str) -> list[str]:
    name = f"{cluster}-operator-training-operator"
    application = rendered.find(cluster, "argocd/platform", "Application", name)
    patches = application["spec"]["sources"][0]["kustomize"]["patches"]
    edits = [edit for patch in patches for edit in json.loads(patch["patch"])]
    return next(edit["value"] for edit in edits if edit["path"].endswith("/args"))


@pytest.mark.parametrize(
    ("cluster", "app", "scheduler", "gang"),
    [
        ("openshift-lab", "job-vision-resnet50", "volcano", {"queue": "vision", "minAvailable": 3}),
        ("campus", "job-vision-mnist-campus", "scheduler-plugins-scheduler", {"minAvailable": 2}),
    ],
)
def test_operator_makes_the_pod_group_that_the_scheduler_starts_at_once(
    rendered: Rendered, cluster: str, app: str, scheduler: str, gang: dict[str, object]
) -> None:
    assert f"--gang-scheduler-name={scheduler}" in operator_args(rendered, cluster)
    job = rendered.find(cluster, app, "PyTorchJob")
    assert gang.items() <= job["spec"]["runPolicy"]["schedulingPolicy"].items()
    assert {pod["schedulerName"] for pod in pod_specs(job)} == {scheduler}


def test_volcano_has_a_queue_with_what_the_team_deserves(rendered: Rendered) -> None:
    queue = rendered.find("openshift-lab", "queues", "Queue", "vision")["spec"]
    assert queue["deserved"]["nvidia.com/gpu"] == "16", "two machines of eight"
    assert queue["deserved"]["nvidia.com/mig-3g.40gb"] == "8"
    assert queue["reclaimable"] is True


def test_coscheduling_waits_long_enough_for_new_nodes(rendered: Rendered) -> None:
    job = rendered.find("campus", "job-vision-mnist-campus", "PyTorchJob")
    assert job["spec"]["runPolicy"]["schedulingPolicy"]["scheduleTimeoutSeconds"] >= 600


def test_slice_is_a_resource_of_its_own_on_nodes_cut_so(rendered: Rendered) -> None:
    (pod,) = pod_specs(rendered.find("openshift-lab", "job-vision-mnist-slice", "Job"))
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/mig-3g.40gb"] == "1"
    assert "nvidia.com/gpu" not in pod["containers"][0]["resources"]["limits"]
    config = rendered.find("openshift-lab", "gpus", "ConfigMap")
    (layout,) = json.loads(config["data"]["config.yaml"])["mig-configs"]["all-3g.40gb"]
    assert layout["mig-devices"] == {"3g.40gb": 2}, "80 GB make two of 40"


def test_four_students_take_turns_on_one_gpu(rendered: Rendered) -> None:
    (pod,) = pod_specs(rendered.find("campus", "job-vision-mnist-shared", "Job"))
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu.shared"] == "1"
    config = rendered.find("campus", "gpus", "ConfigMap")
    (shared,) = json.loads(config["data"]["time-slicing-4"])["sharing"]["timeSlicing"]["resources"]
    assert shared == {"name": "nvidia.com/gpu", "replicas": 4}


@pytest.mark.parametrize(
    ("cluster", "setting", "kind"),
    [("openshift-lab", "migManager", "mig"), ("campus", "devicePlugin", "device-plugin")],
)
def test_gpu_operator_reads_the_layout_that_is_rendered(
    rendered: Rendered, cluster: str, setting: str, kind: str
) -> None:
    application = rendered.find(cluster, "argocd/platform", "Application", f"{cluster}-operator-gpu-operator")
    values = application["spec"]["sources"][0]["helm"]["valuesObject"]
    name = rendered.find(cluster, "gpus", "ConfigMap")["metadata"]["name"]
    assert values[setting]["config"]["name"] == name
    assert name.startswith(f"trainshed-{kind}-")
