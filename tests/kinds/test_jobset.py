"""JobSet: a Job for each role, that start, fail and restart as one. Facts F.1, L; scenarios B11, C8."""

from pathlib import Path
from typing import Any

import pytest
from kinds.jobsets import CLUSTER, HEAD, INDEX, LLM, PLACE, project, render, said, variables

JOBSET = LLM + "backend: jobset\n"
ROLES = f"""\
{HEAD}backend: jobset
cpu: 2
memory: 4Gi
run: {{command: [python, -m, nlp.drive]}}
roles:
  driver: {{}}
  reader: {{nodes: 3, cpu: 4, run: {{command: [python, -m, nlp.read]}}}}
"""
OLD = CLUSTER.replace("v0.12.0", "v0.8.0")
PATTERN = r"failed with exit code \d+ matching FailJob rule"
"""Kubernetes says it so: pkg/controller/job/pod_failure_policy.go."""


def jobs_of(jobset: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {job["name"]: job["template"]["spec"] for job in jobset["spec"]["replicatedJobs"]}


def container_of(jobset: dict[str, Any], role: str = "node") -> dict[str, Any]:
    (container,) = jobs_of(jobset)[role]["template"]["spec"]["containers"]
    return container


def test_eight_nodes_are_one_indexed_job_of_eight_pods_that_never_restart_alone() -> None:
    jobset = render(JOBSET, "JobSet")
    (job,) = jobset["spec"]["replicatedJobs"]
    assert (job["name"], job["replicas"]) == ("node", 1)
    spec = job["template"]["spec"]
    assert (spec["parallelism"], spec["completions"], spec["completionMode"]) == (8, 8, "Indexed")
    assert spec["backoffLimit"] == 0
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    resources = container_of(jobset)["resources"]
    assert resources["requests"]["nvidia.com/gpu"] == resources["limits"]["nvidia.com/gpu"] == "8"


def test_what_the_webhook_would_fill_in_is_written() -> None:
    spec = render(JOBSET, "JobSet")["spec"]
    assert spec["network"] == {"enableDNSHostnames": True, "publishNotReadyAddresses": True}
    assert spec["successPolicy"] == {"operator": "All"}
    assert spec["startupPolicy"] == {"startupPolicyOrder": "AnyOrder"}
    assert "suspend" not in spec


def test_torchrun_finds_its_peers_by_the_names_that_jobset_gives_them() -> None:
    jobset = render(JOBSET, "JobSet")
    name = jobset["metadata"]["name"]
    container = container_of(jobset)
    assert container["command"] == ["torchrun"]
    assert container["args"] == ["-m", "nlp.train", "--steps=1000"]
    env = variables(container)
    assert {key: value for key, value in env.items() if key.startswith("PET_")} == {
        "PET_NNODES": "8",
        "PET_NPROC_PER_NODE": "8",
        "PET_NODE_RANK": INDEX,
        "PET_MASTER_ADDR": f"{name}-node-0-0.{name}",
        "PET_MASTER_PORT": "29500",
    }
    assert not {"RANK", "WORLD_SIZE", "MASTER_ADDR"} & set(env), "torchrun tells each of its processes"


def test_one_process_a_node_is_told_what_torchrun_would_tell_it() -> None:
    jobset = render(LLM.replace("perNode: 8", "perNode: 1") + "backend: jobset\nlauncher: python\n", "JobSet")
    name = jobset["metadata"]["name"]
    env = variables(container_of(jobset))
    assert (env["WORLD_SIZE"], env["RANK"], env["LOCAL_RANK"]) == ("8", INDEX, "0")
    assert (env["MASTER_ADDR"], env["MASTER_PORT"]) == (f"{name}-node-0-0.{name}", "29500")


def test_how_many_processes_an_own_program_starts_has_to_be_said() -> None:
    job = JOBSET.replace("{module: nlp.train, args: [--steps=1000]}", "{command: [python, train.py]}")
    assert said(job) == [
        f'{PLACE}:9:7 missing-choice: how many processes "python" starts on each node is not said'
    ]
    env = variables(container_of(render(job + "procsPerNode: 1\n", "JobSet")))
    assert (env["WORLD_SIZE"], env["PET_NPROC_PER_NODE"]) == ("8", "1")


def test_jax_and_xgboost_are_told_what_trainer_would_tell_them() -> None:
    jax = render(JOBSET.replace("framework: pytorch", "framework: jax"), "JobSet")
    name = jax["metadata"]["name"]
    env = variables(container_of(jax))
    assert env["JAX_COORDINATOR_ADDRESS"] == f"{name}-node-0-0.{name}:29500"
    assert (env["JAX_NUM_PROCESSES"], env["JAX_PROCESS_ID"]) == ("8", INDEX)
    xgboost = render(JOBSET.replace("framework: pytorch", "framework: xgboost"), "JobSet")
    name = xgboost["metadata"]["name"]
    env = variables(container_of(xgboost))
    assert (env["DMLC_TRACKER_URI"], env["DMLC_TRACKER_PORT"]) == (f"{name}-node-0-0.{name}", "29500")
    assert (env["DMLC_NUM_WORKER"], env["DMLC_TASK_ID"]) == ("64", INDEX)


def test_each_role_is_a_job_with_its_own_size_and_program() -> None:
    jobset = render(ROLES, "JobSet")
    jobs = jobs_of(jobset)
    assert {role: job["completions"] for role, job in jobs.items()} == {"driver": 1, "reader": 3}
    driver, reader = container_of(jobset, "driver"), container_of(jobset, "reader")
    assert driver["command"] == ["python", "-m", "nlp.drive"]
    assert reader["command"] == ["python", "-m", "nlp.read"]
    assert (driver["resources"]["requests"]["cpu"], reader["resources"]["requests"]["cpu"]) == ("2", "4")
    assert variables(driver)["TRAINSHED_ROLE"] == "driver"
    assert variables(reader)["TRAINSHED_RUN"] == jobset["metadata"]["name"], "the subdomain of its peers"


def test_a_role_of_pytorch_is_a_group_of_its_own() -> None:
    job = JOBSET.replace("nodes: 8\n", "") + "roles: {actor: {nodes: 2}, critic: {gpus: 4}}\n"
    jobset = render(job, "JobSet")
    name = jobset["metadata"]["name"]
    actor, critic = (variables(container_of(jobset, role)) for role in ("actor", "critic"))
    assert (actor["PET_NNODES"], actor["PET_NPROC_PER_NODE"]) == ("2", "8")
    assert (critic["PET_NNODES"], critic["PET_NPROC_PER_NODE"]) == ("1", "4")
    assert critic["PET_MASTER_ADDR"] == f"{name}-critic-0-0.{name}"


def test_a_launcher_that_counts_all_nodes_does_not_start_several_roles() -> None:
    roles = "roles: {actor: {nodes: 2}, critic: {nodes: 2}}\nlauncher: accelerate\n"
    (finding,) = said(JOBSET.replace("nodes: 8\n", "") + roles)
    assert finding == (
        f"{PLACE}:12:11 backend-cannot: accelerate counts the nodes of the whole job, "
        "and each role of a JobSet is a group of its own"
    )


def test_processes_that_nobody_counts_are_refused() -> None:
    job = f"{HEAD}backend: jobset\nframework: jax\nnodes: 2\nrun: {{command: [train]}}\nprocsPerNode: 2\n"
    (finding,) = said(job)
    assert finding.startswith(f"{PLACE}:10:15 conflicting-choice: procsPerNode is about scripts and modules")


DISRUPTED = {"onPodConditions": [{"type": "DisruptionTarget", "status": "True"}], "action": "FailJob"}
FATAL = {
    "action": "FailJob",
    "onExitCodes": {"containerName": "train", "operator": "In", "values": [42]},
}
ENDS = {"name": "fatal", "action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}
STARTS_AGAIN = {
    "name": "disrupted",
    "action": "RestartJobSetAndIgnoreMaxRestarts",
    "onJobFailureReasons": ["PodFailurePolicy"],
}


@pytest.mark.parametrize(
    ("wishes", "of_pods", "of_set"),
    [
        ("", [DISRUPTED], {"rules": [STARTS_AGAIN]}),
        ("restarts: 3", [DISRUPTED], {"maxRestarts": 3, "rules": [STARTS_AGAIN]}),
        ("restarts: {failures: 3, faults: counted}", [], {"maxRestarts": 3}),
        ("restarts: {failures: 3, faults: none}", [DISRUPTED], {"maxRestarts": 3, "rules": [ENDS]}),
        (
            "restarts: 3\nfailOn: [42]",
            [FATAL, DISRUPTED],
            {"maxRestarts": 3, "rules": [ENDS | {"onJobFailureMessagePatterns": [PATTERN]}, STARTS_AGAIN]},
        ),
        (
            "restarts: {failures: 3, faults: counted}\nfailOn: [42]",
            [FATAL],
            {"maxRestarts": 3, "rules": [ENDS]},
        ),
        (
            "restarts: {failures: 3, faults: none}\nfailOn: [42]",
            [FATAL, DISRUPTED],
            {"maxRestarts": 3, "rules": [ENDS]},
        ),
    ],
)
def test_failures_count_and_faults_of_the_cluster_have_their_own_budget(
    wishes: str, of_pods: list[Any], of_set: dict[str, Any]
) -> None:
    jobset = render(f"{JOBSET}{wishes}\n", "JobSet")
    policy = jobs_of(jobset)["node"].get("podFailurePolicy", {"rules": []})
    assert policy["rules"] == of_pods
    assert jobset["spec"]["failurePolicy"] == {"restartStrategy": "BlockingRecreate", **of_set}


def test_no_restart_at_all_leaves_the_policy_out() -> None:
    assert "failurePolicy" not in render(JOBSET + "restarts: {faults: counted}\n", "JobSet")["spec"]


def test_an_old_release_that_cannot_tell_codes_from_faults_says_so() -> None:
    job = JOBSET + "failOn: [42]\nrestarts: 3\n"
    assert said(job, cluster=OLD) == [
        f"{PLACE}:12:1 release-lacks: jobset v0.8.0 on lab cannot tell these codes from faults of the cluster"
    ]
    assert said(job.replace("restarts: 3", "restarts: {failures: 3, faults: counted}"), cluster=OLD) == []


def test_a_deadline_is_kept_by_the_queue_and_refused_without_one() -> None:
    labels = render(JOBSET + "deadline: 8h\n", "JobSet")["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "nlp"
    assert labels["kueue.x-k8s.io/max-exec-time-seconds"] == "28800"
    unqueued = f"{HEAD}backend: jobset\nqueue: none\nrun: {{command: [train]}}\ndeadline: 8h\n"
    assert said(unqueued) == [
        f"{PLACE}:9:11 backend-cannot: nothing ends a JobSet at its deadline unless it waits in a queue"
    ]


@pytest.mark.parametrize(("length", "refused"), [(39, False), (40, True)])
def test_a_name_leaves_room_for_what_jobs_and_pods_append(tmp_path: Path, length: int, refused: bool) -> None:
    """`<name>-<digest8>-node-0-7-abcde` has at most 63 characters: 9 and 15 are appended."""
    made = project(tmp_path, JOBSET.replace("name: llm", f"name: {'x' * length}")).run("render")
    assert ("error[name-too-long]" in made.out + made.err) is refused
    assert (made.code != 0) is refused, "the operators' own code has no less room"


def test_an_elastic_jobset_is_refused_and_the_kinds_that_can_are_named() -> None:
    (finding,) = said(JOBSET.replace("nodes: 8", "nodes: {min: 2, max: 8}"))
    assert finding == (
        f"{PLACE}:7:1 backend-cannot: a JobSet cannot go on with fewer nodes than it starts with"
    )


@pytest.mark.parametrize("job", [JOBSET + "restarts: 3\nfailOn: [42]\n", ROLES])
def test_the_operators_own_code_finds_nothing_wrong(tmp_path: Path, job: str) -> None:
    repository = project(tmp_path, job + "deadline: 8h\nowner: nlp\n")
    assert repository.run("render").err == ""
    assert repository.run("check").code == 0


def test_auto_takes_a_jobset_where_roles_ask_for_one() -> None:
    job = ROLES.replace("backend: jobset\n", "framework: generic\n")
    assert list(jobs_of(render(job, "JobSet"))) == ["driver", "reader"]
