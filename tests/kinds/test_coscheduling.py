"""D4, D5: a cluster whose gang scheduler is the coscheduling plugin, and one that has none."""

from typing import Any

import pytest
from kinds.queued import COSCHEDULING, JOB, KUEUE, cluster, files, job, one, run, said, team
from repositories import write_project

OWNER = team("{h100: 8, cpu: 4}")
RAY = "framework: ray\nrayVersion: 2.40.0\nnodes: 4\n"


def made(words: str = JOB, operators: str = COSCHEDULING) -> dict[str, str]:
    return dict(files(words, made=cluster(operators), owner=OWNER))


def test_a_job_set_has_a_pod_group_of_ours_that_waits_for_new_nodes() -> None:
    words = made(JOB + "backend: jobset\n")
    group, pods = (
        one(words, "PodGroup"),
        run(words)["spec"]["replicatedJobs"][0]["template"]["spec"]["template"],
    )

    assert group["apiVersion"] == "scheduling.x-k8s.io/v1alpha1"
    assert group["spec"]["minMember"] == 4
    assert group["spec"]["scheduleTimeoutSeconds"] >= 600
    assert pods["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == group["metadata"]["name"]
    assert pods["spec"]["schedulerName"] == "scheduler-plugins-scheduler"


def test_the_training_operator_makes_the_pod_group_of_its_own_kinds() -> None:
    spec = run(made())["spec"]
    (upstream, *_) = one(made(), "Application", "lab-operator-training-operator")["spec"]["sources"]

    assert any(
        "--gang-scheduler-name=scheduler-plugins-scheduler" in patch["patch"]
        for patch in upstream["kustomize"]["patches"]
    )
    assert spec["runPolicy"]["schedulingPolicy"] == {"minAvailable": 4, "scheduleTimeoutSeconds": 600}
    template = spec["pytorchReplicaSpecs"]["Worker"]["template"]
    assert template["spec"]["schedulerName"] == "scheduler-plugins-scheduler"


def test_trainer_is_told_how_long_its_pod_group_waits() -> None:
    assert one(made(JOB + "backend: trainjob\n"), "TrainingRuntime")["spec"]["podGroupPolicy"] == {
        "coscheduling": {"scheduleTimeoutSeconds": 600}
    }


def test_a_ray_cluster_asks_kuberay_for_its_pod_group() -> None:
    labels = run(made(RAY + "backend: raycluster\n"))["metadata"]["labels"]

    assert labels["ray.io/gang-scheduling-enabled"] == "true"


def test_kuberay_refuses_ray_jobs_there_and_so_do_we() -> None:
    (finding,) = said(made(RAY + "run: {command: [python, -m, train]}\n"))

    assert finding.endswith(
        "backend-cannot: KubeRay refuses every RayJob where it works with scheduler-plugins, as it does on lab"
    )


def test_an_old_kuberay_knows_no_scheduler_plugins() -> None:
    old = COSCHEDULING.replace("kuberay: v1.6.2", "kuberay: v1.2.2")

    found = said(made(RAY + "backend: raycluster\n", old))

    refused = "release-lacks: kuberay v1.2.2 on lab cannot start a Ray cluster by scheduler-plugins"
    assert any(refused in finding for finding in found)


def test_a_scheduler_of_the_jobs_own_would_take_its_pods_out_of_the_gang() -> None:
    (finding,) = said(made(JOB + "scheduler: fast\n"))

    assert "conflicting-choice: scheduler fast does not start pods together" in finding


NONE = "operators: {training-operator: v1.9.4}\n"


def test_without_any_gang_scheduler_half_of_a_run_could_wait_for_ever() -> None:
    assert said(made(operators=NONE)) == [
        'specs/jobs/vision/near.yaml:8:1 no-gang: "lab" has nothing that starts 4 pods together'
    ]


def test_a_job_may_say_that_its_pods_need_not_start_together() -> None:
    assert said(made(JOB + "gang: none\n", NONE)) == []


def test_a_cluster_of_one_node_starts_pods_together_or_not_at_all() -> None:
    pools = "pools:\n  cpu: {machine: onprem/cpu-64, nodes: 1, labels: {pool: cpu}}\n"
    words = "framework: pytorch\nrun: {module: train}\nnodes: 2\ncpu: 4\nmemory: 8Gi\n"
    small = dict(files(words, made=cluster(NONE, pools), owner=team("{cpu: 1}")))
    del small["specs/teams/nlp.yaml"]

    assert said(small) == []


@pytest.mark.parametrize(
    ("gang", "operator"), [("volcano", "volcano"), ("coscheduling", "scheduler-plugins")]
)
def test_a_gang_scheduler_has_to_be_installed(gang: str, operator: str) -> None:
    (finding, *_) = said(made(operators=NONE + f"gang: {gang}\n"))

    assert f'missing-operator: gang {gang} needs {operator}, which cluster "lab" does not have' in finding


def test_gang_none_changes_nothing_where_kueue_lets_runs_in_whole() -> None:
    (finding,) = said(files(JOB + "gang: none\n", made=cluster(KUEUE)))

    assert "conflicting-choice: gang: none changes nothing on lab" in finding


def test_the_real_judges_and_schemas_accept_every_kind(tmp_path: Any) -> None:
    jobs = {
        f"specs/jobs/vision/{kind}.yaml": job(JOB + f"backend: {kind}\n").replace("near", kind)
        for kind in ("jobset", "trainjob", "pytorchjob")
    }
    cluster_of_ray = job(RAY + "backend: raycluster\n").replace("near", "ray")
    project = write_project(tmp_path, {**made(), **jobs, "specs/jobs/vision/ray.yaml": cluster_of_ray})

    result = project.run("render")

    assert result.code == 0, result.out + result.err
    assert "unjudged" not in result.out


GROWING = RAY.replace("nodes: 4", "nodes: {min: LEAST, max: 4}") + "backend: raycluster\n"
NO_GANG = "operators: {kuberay: v1.6.2}\n"


def test_a_ray_cluster_that_starts_with_one_worker_waits_for_no_other() -> None:
    assert said(made(GROWING.replace("LEAST", "1"), NO_GANG)) == []


def test_a_ray_cluster_that_starts_with_two_workers_could_wait_for_the_second() -> None:
    (finding,) = said(made(GROWING.replace("LEAST", "2"), NO_GANG))

    assert finding.endswith('no-gang: "lab" has nothing that starts 2 pods together')
