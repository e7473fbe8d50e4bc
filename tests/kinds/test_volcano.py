"""D3, D5, D9: a cluster whose gang scheduler is Volcano: its queues, its PodGroups, its own Job."""

from typing import Any

import pytest
from kinds.queued import JOB, KUEUE, VOLCANO, cluster, files, job, one, run, said, team
from repositories import write_project
from ruamel.yaml import YAML

OWNER = team("{h100: {nodes: 8, guaranteed: 2, borrow: 4}, cpu: {nodes: 4, borrow: 0}}")
MPI = "framework: mpi\nrun: {command: [./train]}\nnodes: 4\n"
RAY = "framework: ray\nrayVersion: 2.40.0\nrun: {command: [python, -m, train]}\nnodes: 4\n"


def made(words: str = JOB, more: str = "") -> dict[str, str]:
    return dict(files(words, made=cluster(VOLCANO + more), owner=OWNER))


def values(operator: str) -> dict[str, Any]:
    (upstream, *_) = one(made(), "Application", f"lab-operator-{operator}")["spec"]["sources"]
    return upstream["helm"]["valuesObject"]


def test_each_team_has_a_queue_and_what_is_guaranteed_is_at_most_what_it_deserves() -> None:
    spec = one(made(), "Queue", "vision")["spec"]
    figures = {
        "guarantee": spec["guarantee"]["resource"]["nvidia.com/gpu"],
        "deserved": spec["deserved"]["nvidia.com/gpu"],
        "capability": spec["capability"]["nvidia.com/gpu"],
    }

    assert figures == {"guarantee": "16", "deserved": "64", "capability": "96"}
    assert set(spec["guarantee"]["resource"]) <= set(spec["deserved"]) <= set(spec["capability"])


def test_a_team_that_may_borrow_without_limit_can_have_its_whole_pools() -> None:
    assert one(made(), "Queue", "nlp")["spec"]["capability"]["nvidia.com/gpu"] == str(16 * 8)


def test_queues_come_before_what_waits_in_them() -> None:
    application = one(made(), "Application", "lab-queues")

    assert int(application["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]) < 0


def test_the_scheduler_keeps_to_the_capacities_of_queues() -> None:
    config = YAML(typ="safe").load(values("volcano")["custom"]["scheduler_config_override"])
    plugins = [plugin["name"] for tier in config["tiers"] for plugin in tier["plugins"]]

    assert "capacity" in plugins
    assert "proportion" not in plugins
    assert "reclaim" in config["actions"]


def test_operators_that_make_pod_groups_are_told_for_whom() -> None:
    assert values("kuberay")["batchScheduler"] == {"name": "volcano"}
    for operator, flag in (
        ("training-operator", "--gang-scheduler-name=volcano"),
        ("mpi-operator", "--gang-scheduling=volcano"),
    ):
        (upstream, *_) = one(made(), "Application", f"lab-operator-{operator}")["spec"]["sources"]
        assert any(flag in patch["patch"] for patch in upstream["kustomize"]["patches"]), operator


@pytest.mark.parametrize(("words", "pods"), [(JOB, 4), (MPI, 5)])
def test_run_policies_name_the_queue_and_all_pods(words: str, pods: int) -> None:
    policy = run(made(words))["spec"]["runPolicy"]["schedulingPolicy"]

    assert policy == {"minAvailable": pods, "queue": "vision"}


def test_an_elastic_run_starts_with_the_fewest_pods() -> None:
    words = JOB.replace("nodes: 4", "nodes: {min: 2, max: 4}")

    assert run(made(words))["spec"]["runPolicy"]["schedulingPolicy"]["minAvailable"] == 2


def test_kuberay_reads_the_queue_in_a_label() -> None:
    assert run(made(RAY))["metadata"]["labels"]["volcano.sh/queue-name"] == "vision"


def test_trainer_makes_the_pod_group_of_a_train_job_in_the_queue_of_its_annotation() -> None:
    words = JOB + "backend: trainjob\n"

    assert one(made(words), "TrainingRuntime")["spec"]["podGroupPolicy"] == {"volcano": {}}
    annotations = run(made(words))["metadata"]["annotations"]
    assert annotations["scheduling.volcano.sh/queue-name"] == "vision"


def test_nobody_makes_the_pod_group_of_a_job_set_but_we() -> None:
    words = made(JOB + "backend: jobset\n")
    group, pods = (
        one(words, "PodGroup"),
        run(words)["spec"]["replicatedJobs"][0]["template"]["spec"]["template"],
    )

    assert group["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert (group["spec"]["minMember"], group["spec"]["queue"]) == (4, "vision")
    assert group["spec"]["minResources"]["nvidia.com/gpu"] == "32"
    assert pods["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == group["metadata"]["name"]
    assert pods["spec"]["schedulerName"] == "volcano"


def test_a_pod_alone_counts_in_the_queue_of_its_annotation() -> None:
    template = run(made("run: {command: [train]}\n"))["spec"]["template"]

    assert template["metadata"]["annotations"]["scheduling.volcano.sh/queue-name"] == "vision"
    assert template["spec"]["schedulerName"] == "volcano"


def test_a_job_that_nobody_may_drive_out_says_so_to_volcano() -> None:
    template = run(made("run: {command: [train]}\npreemptible: false\n"))["spec"]["template"]

    assert template["metadata"]["annotations"]["volcano.sh/preemptable"] == "false"


def test_a_volcano_job_says_all_that_the_webhook_would_fill_in() -> None:
    spec = run(made(JOB + "backend: volcanojob\n"))["spec"]

    assert {key: spec[key] for key in ("minAvailable", "queue", "schedulerName", "maxRetry")} == {
        "minAvailable": 4,
        "queue": "vision",
        "schedulerName": "volcano",
        "maxRetry": 1,
    }
    (task,) = spec["tasks"]
    assert {key: task[key] for key in ("name", "replicas", "minAvailable", "maxRetry")} == {
        "name": "node",
        "replicas": 4,
        "minAvailable": 4,
        "maxRetry": 3,
    }


def test_torchrun_in_a_volcano_job_finds_the_first_pod_by_its_name() -> None:
    body = run(made(JOB + "backend: volcanojob\n"))
    (task,) = body["spec"]["tasks"]
    env = {
        item["name"]: item.get("value", item.get("valueFrom"))
        for item in task["template"]["spec"]["containers"][0]["env"]
    }
    name = body["metadata"]["name"]

    assert "--publish-not-ready-addresses=true" in body["spec"]["plugins"]["svc"]
    assert env["PET_MASTER_ADDR"] == f"{name}-node-0.{name}"
    assert (env["PET_NNODES"], env["PET_NPROC_PER_NODE"]) == ("4", "8")
    assert env["PET_NODE_RANK"]["fieldRef"]["fieldPath"] == "metadata.annotations['volcano.sh/task-index']"


@pytest.mark.parametrize(
    ("restarts", "retries", "action"), [("", 1, "TerminateJob"), ("restarts: 5\n", 5, "RestartJob")]
)
def test_a_volcano_job_starts_again_as_often_as_the_job_says(
    restarts: str, retries: int, action: str
) -> None:
    spec = run(made(JOB + "backend: volcanojob\n" + restarts))["spec"]

    assert spec["maxRetry"] == retries
    assert spec["policies"] == [{"events": ["PodFailed", "PodEvicted"], "action": action}]


PARTS = """\
backend: volcanojob
run: {command: [train]}
roles: {launcher: {}, worker: {nodes: 2}}
"""


@pytest.mark.parametrize(
    ("words", "deciding"),
    [
        ("", []),
        ("successWhen: all\n", []),
        ("successWhen: {role: launcher}\n", ["launcher"]),
        ("successWhen: any\n", ["launcher", "worker"]),
    ],
)
def test_a_role_that_decides_ends_a_volcano_job_whatever_the_others_do(
    words: str, deciding: list[str]
) -> None:
    tasks = run(made(PARTS + words))["spec"]["tasks"]
    policies = {task["name"]: task["policies"] for task in tasks if "policies" in task}

    assert policies == {name: [{"event": "TaskCompleted", "action": "CompleteJob"}] for name in deciding}


def test_a_volcano_job_has_the_role_that_decides() -> None:
    (finding,) = said(made(PARTS + "successWhen: {role: launchr}\n"))

    assert 'unknown-value: the job has no role "launchr"' in finding


def test_a_volcano_job_would_run_past_the_queues_of_kueue() -> None:
    both = KUEUE.replace("kueue: v0.19.2", "kueue: v0.19.2, volcano: v1.15.1")

    (finding,) = said(files(JOB + "backend: volcanojob\n", made=cluster(both)))

    assert "backend-cannot" in finding
    assert "past every quota" in finding


def test_kueue_and_volcano_do_not_both_keep_queues() -> None:
    both = KUEUE.replace("kueue: v0.19.2", "kueue: v0.19.2, volcano: v1.15.1") + "gang: volcano\n"

    assert said(files(made=cluster(both)))[0].partition(": ")[2] == (
        "Kueue and Volcano would both keep queues, and neither knows what the other lets in"
    )


def test_a_job_can_never_have_more_than_its_queue_is_capable_of() -> None:
    (finding,) = said(made(JOB.replace("nodes: 4", "nodes: 13")))

    assert finding.endswith(
        'quota-exceeded: 104 nvidia.com/gpu are asked for, queue "vision" can never give more than '
        "96 nvidia.com/gpu on lab"
    )


def test_an_unknown_queue_suggests_the_teams() -> None:
    (finding,) = said(made(JOB + "queue: visoin\n"))

    assert "unknown-queue" in finding


def test_pods_that_need_not_start_together_do_not_wait() -> None:
    assert run(made(JOB + "gang: none\n"))["spec"]["runPolicy"]["schedulingPolicy"]["minAvailable"] == 1


def test_the_real_judges_and_schemas_accept_every_kind(tmp_path: Any) -> None:
    kinds = {
        kind: job(JOB + f"backend: {kind}\ndeadline: 8h\n").replace("name: near", f"name: {kind}")
        for kind in ("jobset", "trainjob", "pytorchjob", "volcanojob")
    }
    kinds["volcanojob"] = kinds["volcanojob"].replace("deadline: 8h\n", "")
    kinds |= {name: job(words).replace("near", name) for name, words in (("mpi", MPI), ("ray", RAY))}
    jobs = {f"specs/jobs/vision/{name}.yaml": text for name, text in kinds.items()}
    deadline = {path: text.replace("deadline: 8h\n", "") for path, text in jobs.items()}
    project = write_project(tmp_path, {**made(), **deadline})

    result = project.run("render")

    assert result.code == 0, result.out + result.err
    assert "unjudged" not in result.out
