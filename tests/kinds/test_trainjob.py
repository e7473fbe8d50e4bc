"""TrainJob with a TrainingRuntime of the run's own. Facts F.2, L; scenario B11; traps 10 and 11."""

from pathlib import Path
from typing import Any

import pytest
from kinds.jobsets import APP, CLUSTER, HEAD, INDEX, LLM, PLACE, TEAM, files, project, render, said, variables
from stages import street

TRAINJOB = LLM + "backend: trainjob\n"


def runtime_of(job: str) -> dict[str, Any]:
    """The runtime that a job's TrainJob names."""
    manifests = street.compile_files(files(job))
    runtime = street.body(manifests, "TrainingRuntime", APP)
    assert street.body(manifests, "TrainJob", APP)["spec"]["runtimeRef"] == {
        "apiGroup": "trainer.kubeflow.org",
        "kind": "TrainingRuntime",
        "name": runtime["metadata"]["name"],
    }
    return runtime


def replicated_job(runtime: dict[str, Any]) -> dict[str, Any]:
    (job,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    return job


def pod_of(runtime: dict[str, Any]) -> dict[str, Any]:
    return replicated_job(runtime)["template"]["spec"]["template"]


def test_a_trainjob_says_what_is_trained_and_on_how_many_nodes() -> None:
    trainer = render(TRAINJOB, "TrainJob")["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"]) == (8, 8)
    assert trainer["image"] == "registry.example.com/nlp/train:1.0"
    assert (trainer["command"], trainer["args"]) == (["torchrun"], ["-m", "nlp.train", "--steps=1000"])


def test_every_resource_is_written_for_trainer_merges_key_by_key() -> None:
    resources = render(TRAINJOB, "TrainJob")["spec"]["trainer"]["resourcesPerNode"]
    assert set(resources["requests"]) == {"cpu", "memory", "nvidia.com/gpu"}
    assert resources["limits"] == {
        "memory": resources["requests"]["memory"],
        "nvidia.com/gpu": "8",
    }
    (container,) = pod_of(runtime_of(TRAINJOB))["spec"]["containers"]
    assert "resources" not in container


def test_names_that_trainer_sets_are_left_to_it() -> None:
    env = variables(render(TRAINJOB, "TrainJob")["spec"]["trainer"])
    assert not [name for name in env if name.startswith("PET_")]
    assert not {"RANK", "WORLD_SIZE", "MASTER_ADDR"} & set(env)
    (container,) = pod_of(runtime_of(TRAINJOB))["spec"]["containers"]
    assert "env" not in container


def test_one_process_a_node_is_told_what_torchrun_would_tell_it() -> None:
    job = render(
        LLM.replace("perNode: 8", "perNode: 1") + "backend: trainjob\nlauncher: python\n", "TrainJob"
    )
    name = job["metadata"]["name"]
    env = variables(job["spec"]["trainer"])
    assert (env["WORLD_SIZE"], env["RANK"]) == ("8", INDEX)
    assert (env["MASTER_ADDR"], env["MASTER_PORT"]) == (f"{name}-node-0-0.{name}", "29500")


@pytest.mark.parametrize("name", ["PET_NNODES", "MASTER_ADDR", "DMLC_TASK_ID", "JAX_PROCESS_ID"])
def test_a_job_cannot_set_what_trainer_sets(name: str) -> None:
    assert said(f'{TRAINJOB}env: {{{name}: "1"}}\n') == [
        f"{PLACE}:12:7 reserved-env: {name} is set by the operator, the launcher or trainshed"
    ]


def test_all_else_is_in_the_runtime() -> None:
    job = f"""\
{TRAINJOB}data: {{data: {{volume: data, mountPath: /data}}}}
scratch: 10Gi
envFrom: {{secrets: [wandb]}}
labels: {{stage: pretraining}}
gracePeriod: 5m
checkpoint: {{every: 10m, volume: checkpoints}}
"""
    pod = pod_of(runtime_of(job))
    spec = pod["spec"]
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    assert volumes["shm"]["emptyDir"]["medium"] == "Memory"
    assert volumes["data"]["persistentVolumeClaim"] == {"claimName": "data"}
    (container,) = spec["containers"]
    assert container["name"] == "node"
    assert {"/data", "/scratch", "/dev/shm"} <= {mount["mountPath"] for mount in container["volumeMounts"]}
    assert container["envFrom"] == [{"secretRef": {"name": "wandb"}}]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert (spec["terminationGracePeriodSeconds"], spec["restartPolicy"]) == (300, "Never")
    assert pod["metadata"]["labels"]["stage"] == "pretraining"
    assert pod["metadata"]["labels"]["trainshed.dev/run"] == render(job, "TrainJob")["metadata"]["name"]


def test_trainer_knows_the_job_that_trains_by_its_label_and_name() -> None:
    job = replicated_job(runtime_of(TRAINJOB))
    assert (job["name"], job["replicas"]) == ("node", 1)
    assert job["template"]["metadata"]["labels"] == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    assert job["template"]["spec"]["backoffLimit"] == 0


@pytest.mark.parametrize(
    ("framework", "policy"),
    [("pytorch", {"torch": {}}), ("jax", {"jax": {}}), ("xgboost", {"xgboost": {}}), ("generic", {})],
)
def test_the_policy_is_that_of_the_framework(framework: str, policy: dict[str, Any]) -> None:
    runtime = runtime_of(TRAINJOB.replace("framework: pytorch", f"framework: {framework}"))
    assert runtime["spec"]["mlPolicy"] == {"numNodes": 8, **policy}


def test_the_runtime_is_named_by_what_it_holds_and_applied_first() -> None:
    first = runtime_of(TRAINJOB)["metadata"]
    assert first["name"].startswith("llm-runtime-")
    assert first["annotations"]["argocd.argoproj.io/sync-wave"] == "-1"
    assert runtime_of(TRAINJOB)["metadata"]["name"] == first["name"]
    assert runtime_of(TRAINJOB + "gracePeriod: 5m\n")["metadata"]["name"] != first["name"]


def test_restarts_are_those_of_the_jobset_that_trainer_makes() -> None:
    runtime = runtime_of(TRAINJOB + "restarts: 3\nfailOn: [42]\n")
    policy = runtime["spec"]["template"]["spec"]["failurePolicy"]
    assert (policy["maxRestarts"], policy["restartStrategy"]) == (3, "BlockingRecreate")
    assert [rule["action"] for rule in policy["rules"]] == [
        "FailJobSet",
        "RestartJobSetAndIgnoreMaxRestarts",
    ]
    (fatal, _) = replicated_job(runtime)["template"]["spec"]["podFailurePolicy"]["rules"]
    assert fatal["onExitCodes"] == {"containerName": "node", "operator": "In", "values": [42]}


def test_the_deadline_is_the_trainjobs_own() -> None:
    job = render(TRAINJOB + "deadline: 8h\n", "TrainJob")
    assert job["spec"]["activeDeadlineSeconds"] == 28800
    assert "kueue.x-k8s.io/max-exec-time-seconds" not in job["metadata"]["labels"]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "nlp"


def test_an_old_kueue_cannot_hold_a_trainjob_back() -> None:
    old = CLUSTER.replace("kueue: v0.19.2", "kueue: v0.14.0")
    assert said(TRAINJOB, cluster=old) == [
        f"{PLACE}:11:10 release-lacks: kueue v0.14.0 on lab cannot hold a TrainJob in a queue"
    ]
    (job,) = (job for job in street.resolve(files(LLM, old)).plan.targets)
    assert job.backend.kind == "JobSet", "auto takes the next that waits in the queue"
    single = f"{HEAD}backend: trainjob\nqueue: none\nrun: {{command: [train]}}\n"
    assert said(single, cluster=old, team=TEAM) == []


@pytest.mark.parametrize(("length", "refused"), [(39, False), (40, True)])
def test_a_name_leaves_room_for_what_jobset_and_job_append(
    tmp_path: Path, length: int, refused: bool
) -> None:
    """`<name>-<digest8>-node-0-7-abcde` has at most 63 characters: 9 and 15 are appended."""
    made = project(tmp_path, TRAINJOB.replace("name: llm", f"name: {'x' * length}")).run("render")
    assert ("error[name-too-long]" in made.out + made.err) is refused
    assert (made.code != 0) is refused, "the operators' own code has no less room"


def test_an_elastic_trainjob_is_refused_and_auto_never_takes_it() -> None:
    elastic = LLM.replace("nodes: 8", "nodes: {min: 2, max: 8}")
    (finding,) = street.resolve(files(elastic + "backend: trainjob\n")).findings
    assert finding.summary == "a TrainJob cannot go on with fewer nodes than it starts with"
    assert "pytorchjob" in finding.detail
    both = CLUSTER.replace("{trainer:", "{training-operator: v1.9.4, trainer:")
    assert street.plan(files(elastic, both)).targets[0].backend.kind == "PyTorchJob"


def test_auto_takes_a_trainjob_where_there_is_no_training_operator() -> None:
    assert street.plan(files(LLM)).targets[0].backend.kind == "TrainJob"


@pytest.mark.parametrize(
    "job", [TRAINJOB + "restarts: 3\nfailOn: [42]\n", f"{HEAD}backend: trainjob\nrun: {{command: [train]}}\n"]
)
def test_the_operators_own_code_finds_nothing_wrong(tmp_path: Path, job: str) -> None:
    repository = project(tmp_path, job + "deadline: 8h\nowner: nlp\n")
    assert repository.run("render").err == ""
    assert repository.run("check").code == 0
