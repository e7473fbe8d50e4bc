"""Section C without Ray: each framework's own kind, with the names that its operator looks for."""

from typing import Any

import pytest
from scenarios.rendered import Rendered, pod_specs, read_env


def roles(job: dict[str, Any], field: str) -> dict[str, int]:
    return {role: part["replicas"] for role, part in job["spec"][field].items()}


def test_mirrored_tensorflow_is_a_chief_and_two_workers_without_parameter_servers(rendered: Rendered) -> None:
    job = rendered.find("gke-research", "job-vision-retina-tf", "TFJob")
    assert roles(job, "tfReplicaSpecs") == {"Chief": 1, "Worker": 2}
    for pod in pod_specs(job):
        assert pod["containers"][0]["name"] == "tensorflow"
        assert "TF_CONFIG" not in read_env(pod), "the operator writes it"


def test_parameter_servers_are_the_fourth_role_and_leave_when_the_chief_is_done(rendered: Rendered) -> None:
    job = rendered.find("gke-research", "job-recsys-ranking-ps", "TFJob")
    assert roles(job, "tfReplicaSpecs") == {"Chief": 1, "Evaluator": 1, "PS": 2, "Worker": 4}
    assert job["spec"]["runPolicy"]["cleanPodPolicy"] == "Running", "a parameter server never ends by itself"
    (server,) = pod_specs(job["spec"]["tfReplicaSpecs"]["PS"])
    assert server["containers"][0]["resources"]["requests"] == {"cpu": "4", "memory": "48Gi"}


def test_horovod_is_a_launcher_and_four_workers_of_eight_slots(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-nlp-bert-horovod", "MPIJob")
    assert job["apiVersion"] == "kubeflow.org/v2beta1"
    assert roles(job, "mpiReplicaSpecs") == {"Launcher": 1, "Worker": 4}
    assert job["spec"]["slotsPerWorker"] == 8
    launcher, worker = (
        next(iter(pod_specs(job["spec"]["mpiReplicaSpecs"][role]))) for role in ("Launcher", "Worker")
    )
    command = launcher["containers"][0]["command"]
    assert command[0] == "mpirun"
    assert command[command.index("-np") + 1] == "32"
    assert not {"-H", "--host", "--hostfile"} & set(command), "the operator writes the hostfile"
    assert "nvidia.com/gpu" not in launcher["containers"][0]["resources"]["limits"]
    assert worker["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_ssh_of_horovod_needs_no_root(rendered: Rendered) -> None:
    job = rendered.find("aws-prod", "job-nlp-bert-horovod", "MPIJob")
    assert job["spec"]["sshAuthMountPath"] == "/home/mpiuser/.ssh"
    for pod in pod_specs(job):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["fsGroup"] == 1000
    (worker,) = pod_specs(job["spec"]["mpiReplicaSpecs"]["Worker"])
    assert worker["containers"][0]["command"] == ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"]


@pytest.mark.parametrize(
    ("cluster", "app", "kind", "field", "container", "expected"),
    [
        (
            "aws-prod",
            "job-fraud-card-boost",
            "XGBoostJob",
            "xgbReplicaSpecs",
            "xgboost",
            {"Master": 1, "Worker": 2},
        ),
        ("gke-research", "job-vision-ocr-paddle", "PaddleJob", "paddleReplicaSpecs", "paddle", {"Worker": 2}),
        ("aws-prod", "job-nlp-lm-jax", "JAXJob", "jaxReplicaSpecs", "jax", {"Worker": 2}),
    ],
)
def test_other_frameworks_have_their_kinds_and_containers(
    rendered: Rendered,
    cluster: str,
    app: str,
    kind: str,
    field: str,
    container: str,
    expected: dict[str, int],
) -> None:
    job = rendered.find(cluster, app, kind)
    assert job["apiVersion"] == "kubeflow.org/v1"
    assert roles(job, field) == expected
    for pod in pod_specs(job):
        (only,) = pod["containers"]
        assert only["name"] == container
        assert {port["name"] for port in only.get("ports", [])} <= {f"{container}job-port", "master"}


def test_slices_of_lightgbm_are_eight_pods_that_do_not_talk(rendered: Rendered) -> None:
    assert rendered.kinds("gke-research", "job-recsys-churn-lgbm") == ["Job"], "no policy opens a way between"
    spec = rendered.find("gke-research", "job-recsys-churn-lgbm", "Job")["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 8, 8)
    assert spec["backoffLimitPerIndex"] == 2
    (pod,) = pod_specs(spec)
    assert "JOB_COMPLETION_INDEX" in read_env(pod)
