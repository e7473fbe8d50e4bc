"""RayJob and RayCluster. Facts C.2, C.3, D.3; scenarios C5, C6, C7."""

from typing import Any

import pytest
from kinds import frameworks
from kinds.batch import APP, HEAD, files, kinds, render, said, variables
from repositories import CLUSTER
from stages import street

from trainshed.compile import compile_manifests

TRAIN = f"""\
{HEAD}framework: ray
rayVersion: 2.40.0
fabric: none
run: {{command: [python, tune.py]}}
roles:
  head: {{cpu: 4, memory: 16Gi}}
  worker: {{nodes: {{min: 1, max: 4}}, gpus: 1, cpu: 8, memory: 64Gi}}
"""
FIXED = TRAIN.replace("{min: 1, max: 4}", "2")
STANDING = FIXED.replace("run: {command: [python, tune.py]}\n", "backend: raycluster\n")
SCALING = TRAIN.replace("run: {command: [python, tune.py]}\n", "backend: raycluster\n")
ELASTIC = CLUSTER + "kueue: {elasticJobs: true}\n"
OLD = CLUSTER.replace("kuberay: v1.6.2", "kuberay: v1.2.2")
OLD_QUEUE = ELASTIC.replace("kueue: v0.19.2", "kueue: v0.14.0")


def cluster_of(job: str, cluster: str = ELASTIC) -> dict[str, Any]:
    return render(job, "RayJob", cluster)["spec"]["rayClusterSpec"]


def test_gpu_workers_scale_from_one_to_four_beside_a_head_without_work() -> None:
    spec = cluster_of(TRAIN)
    (workers,) = spec["workerGroupSpecs"]
    assert spec["enableInTreeAutoscaling"] is True
    assert (workers["replicas"], workers["minReplicas"], workers["maxReplicas"]) == (1, 1, 4)
    head = spec["headGroupSpec"]
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert "nvidia.com/gpu" not in str(head)


def test_least_and_most_are_written_though_nothing_scales() -> None:
    spec = cluster_of(FIXED)
    (workers,) = spec["workerGroupSpecs"]
    assert (workers["replicas"], workers["minReplicas"], workers["maxReplicas"]) == (2, 2, 2)
    assert "autoscalerOptions" not in spec


def test_the_autoscaler_is_told_what_the_job_says() -> None:
    wish = "autoscaler: {idleTimeout: 5m, upscaling: conservative, version: v2}\n"
    options = cluster_of(TRAIN + wish)["autoscalerOptions"]
    assert options["idleTimeoutSeconds"] == 300
    assert (options["upscalingMode"], options["version"]) == ("Conservative", "v2")
    assert options["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_an_autoscaler_with_nothing_to_scale_is_refused() -> None:
    (found,) = said(FIXED + "autoscaler: {idleTimeout: 5m}\n")
    assert "conflicting-choice: the autoscaler has nothing to do" in found


def test_two_groups_of_workers_have_their_own_accelerators_and_variables() -> None:
    roles = "  reader: {nodes: 3, cpu: 2, memory: 4Gi, env: {ROLE: reader}}\n"
    spec = cluster_of(FIXED + roles)
    groups = {group["groupName"]: group for group in spec["workerGroupSpecs"]}
    assert list(groups) == ["worker", "reader"]
    assert "nvidia.com/gpu" in str(groups["worker"]["template"])
    assert "nvidia.com/gpu" not in str(groups["reader"]["template"])
    assert variables(groups["reader"]["template"])["ROLE"] == "reader"
    assert "ROLE" not in variables(groups["worker"]["template"])


def test_a_failed_cluster_stays_to_be_looked_at() -> None:
    spec = render(FIXED + "keepFailedFor: 2h\n", "RayJob")["spec"]
    assert (spec["ttlSecondsAfterFinished"], spec["shutdownAfterJobFinishes"]) == (7200, True)


def test_a_job_that_does_not_come_to_run_is_given_up() -> None:
    assert render(FIXED + "startupTimeout: 20m\n", "RayJob")["spec"]["preRunningDeadlineSeconds"] == 1200


@pytest.mark.parametrize(
    ("wish", "word"),
    [("startupTimeout: 20m\n", "startupTimeout"), ("autoscaler: {version: v2}\n", "autoscaler.version")],
)
def test_what_an_old_kuberay_does_not_know_is_refused_at_its_line(wish: str, word: str) -> None:
    found = said(TRAIN + wish, OLD + "kueue: {elasticJobs: true}\n")
    assert f"release-lacks: kuberay v1.2.2 on lab cannot honour {word}" in "\n".join(found)


def test_a_ray_cluster_stands_under_the_jobs_own_name_and_nobody_suspends_it_but_kueue() -> None:
    cluster = render(STANDING, "RayCluster")
    assert cluster["metadata"]["name"] == "resnet"
    assert "suspend" not in cluster["spec"]
    assert cluster["spec"]["upgradeStrategy"] == {"type": "Recreate"}
    assert cluster["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "vision"
    assert kinds(STANDING) == ["NetworkPolicy", "RayCluster"]


def test_an_old_kuberay_is_not_told_to_make_pods_anew() -> None:
    made = compile_manifests(street.resolve(files(STANDING, OLD)).plan).value

    assert made is not None
    assert "upgradeStrategy" not in street.body(made, "RayCluster", APP)["spec"]


def test_a_ray_cluster_scales_in_a_queue_that_follows_it() -> None:
    for cluster in (ELASTIC, OLD_QUEUE):
        made = render(SCALING, "RayCluster", cluster)
        assert made["metadata"]["annotations"]["kueue.x-k8s.io/elastic-job"] == "true"
        assert made["spec"]["enableInTreeAutoscaling"] is True


@pytest.mark.parametrize("job", [TRAIN, SCALING])
def test_a_queue_that_cannot_follow_is_an_error(job: str) -> None:
    (found,) = said(job)
    assert "elastic-queue" in found


@pytest.mark.parametrize(
    "wish", ["deadline: 8h\n", "restarts: 2\n", "run: {command: [python, a.py]}\n", "attempt: 2\n"]
)
def test_a_ray_cluster_has_no_end_no_restarts_and_no_program(wish: str) -> None:
    (found,) = said(STANDING + wish)
    assert f"backend-cannot: a RayCluster cannot honour {wish.partition(':')[0]}" in found


def test_a_ray_cluster_is_stopped_and_started_at_will() -> None:
    assert "RayCluster" in kinds(STANDING + "state: running\n")
    assert kinds(STANDING + "state: stopped\n") == []


@pytest.mark.parametrize("command", ["[python, tune.py]", "[python, preprocess.py, --then, train]"])
def test_ray_tune_and_ray_data_are_programs_like_any_other(command: str) -> None:
    spec = render(FIXED.replace("[python, tune.py]", command), "RayJob")["spec"]
    assert spec["entrypoint"] == command.strip("[]").replace(",", "")


def test_the_submitter_is_no_more_forbidden_to_be_root_than_the_nodes_of_a_fabric() -> None:
    """A kubelet never starts a pod that must not be root and whose user is root."""
    job = """\
framework: ray
rayVersion: 2.52.0
run: {command: [python, tune.py]}
roles: {head: {cpu: 2, memory: 8Gi}, worker: {nodes: 2, gpus: {type: h100, perNode: 8}}}
security: {level: privileged, why: InfiniBand needs locked memory}
"""
    spec = frameworks.rendered(job, "RayJob", "{kuberay: v1.6.2, kueue: v0.19.2}")["spec"]
    head = spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["securityContext"]
    submitter = spec["submitterPodTemplate"]["spec"]["securityContext"]
    assert (head["runAsUser"], head["runAsNonRoot"]) == (0, False)
    assert (submitter["runAsUser"], submitter["runAsNonRoot"]) == (0, False)


def test_an_old_kuberay_keeps_the_pods_of_a_cluster_that_is_edited() -> None:
    (note,) = said(STANDING, OLD)

    assert note.endswith(
        "release-lacks: kuberay v1.2.2 on lab keeps the pods of a Ray cluster whose spec is edited"
    )
    assert said(STANDING) == []
