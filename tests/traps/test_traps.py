"""The traps that other generators fell into, one test each, numbered as in the study that names them."""

import signal
import subprocess
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from repositories import write_project
from traps.lab import KINDS, LAB, OPERATORS, files, found, objects, pods, refusals, run, walk

from trainshed.model.backend import CARRIERS, Backend
from trainshed.model.naming import name_budget
from trainshed.model.quantity import parse_quantity

EVERY_KIND = pytest.mark.parametrize("backend", KINDS)
MEANT_EMPTY = {"podSelector", "torch"}
"""An empty selector means all, and an empty policy chooses torch with its defaults."""

RUNNING = [kind for kind in KINDS if kind is not Backend.RAYCLUSTER]


def test_trap_1_one_node_has_no_worker_of_zero_replicas() -> None:
    job = run(Backend.PYTORCHJOB, nodes=1, backend="pytorchjob")
    assert list(job["spec"]["pytorchReplicaSpecs"]) == ["Master"]
    assert [body["kind"] for body in objects(framework="pytorch", run={"module": "train"})] == ["Job"]


def test_trap_2_elastic_means_workers_only_and_a_rendezvous_named_after_the_attempt() -> None:
    job = run(Backend.PYTORCHJOB, nodes={"min": 2, "max": 4}, attempt=3)
    assert list(job["spec"]["pytorchReplicaSpecs"]) == ["Worker"]
    policy = job["spec"]["elasticPolicy"]
    assert policy["rdzvBackend"] == "c10d"
    assert policy["rdzvId"] == job["metadata"]["name"]
    assert policy["rdzvId"].endswith("-3")


def test_trap_3_no_autoscaler_of_kubernetes_changes_what_git_says() -> None:
    job = run(Backend.PYTORCHJOB, nodes={"min": 2, "max": 4})
    assert "metrics" not in job["spec"]["elasticPolicy"]


@EVERY_KIND
def test_trap_4_what_the_operator_sets_is_never_set_by_hand(backend: Backend) -> None:
    for name in sorted(CARRIERS[backend].env)[:3]:
        wishes = {**KINDS[backend], "env": {name: "1"}}
        (refused,) = refusals(**wishes)
        assert refused.startswith("reserved-env ")
    if CARRIERS[backend].operator not in ("", "jobset"):  # there we are the operator of torchrun's variables
        names = {
            entry["name"] for pod in pods([run(backend)]) for entry in pod["containers"][0].get("env", ())
        }
        assert names.isdisjoint(CARRIERS[backend].env)


def test_trap_5_what_is_set_up_first_fails_fast_and_passes_the_signal_on() -> None:
    python = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); time.sleep(60)"
    wrapped = run(Backend.JOB, run={"setup": ["true"], "command": ["python3", "-c", python]})
    (container,) = wrapped["spec"]["template"]["spec"]["containers"]
    process = subprocess.Popen([*container["command"], *container.get("args", ())])
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 7
    failing = run(Backend.JOB, run={"setup": ["false", "true"], "command": ["python3", "-c", "pass"]})
    (container,) = failing["spec"]["template"]["spec"]["containers"]
    assert subprocess.run([*container["command"], *container.get("args", ())], check=False).returncode == 1


@pytest.mark.parametrize("backend", RUNNING)
def test_trap_6_the_grace_period_leaves_room_for_the_save(backend: Backend) -> None:
    checkpoint = {"volume": "checkpoints", "saveTime": "2m"}
    for pod in pods([run(backend, checkpoint=checkpoint)]):
        if pod["containers"][0]["name"] != "ray-job-submitter":
            assert pod["terminationGracePeriodSeconds"] >= 120 + 30
    refused = refusals(**KINDS[backend], checkpoint=checkpoint, gracePeriod="1m")
    assert [word.partition(" ")[0] for word in refused] == ["grace-too-short"]


def test_trap_7_no_number_of_nodes_is_called_world_size() -> None:
    for backend in KINDS:
        for pod in pods([run(backend)]):
            env = {entry["name"]: entry for entry in pod["containers"][0].get("env", ())}
            assert "WORLD_SIZE" not in env


@EVERY_KIND
def test_trap_8_shared_memory_has_a_limit_inside_the_memory(backend: Backend) -> None:
    for pod in pods(objects(**{**KINDS[backend], "shm": "1Gi", "memory": "8Gi"})):
        volumes = {volume["name"]: volume for volume in pod.get("volumes", ())}
        assert not any("hostPath" in volume for volume in volumes.values())
        if "shm" in volumes:
            shm = volumes["shm"]["emptyDir"]
            memory = pod["containers"][0].get("resources", {}).get("limits", {}).get("memory", "8Gi")
            assert shm["medium"] == "Memory"
            assert Fraction(0) < parse_quantity(shm["sizeLimit"]) < parse_quantity(memory)


def test_trap_9_a_field_that_the_release_lacks_is_refused_there() -> None:
    old = LAB.replace(OPERATORS, "{training-operator: v1.8.1, kueue: v0.19.2}")
    (refused,) = (
        finding
        for finding in found(cluster=old, **KINDS[Backend.JAXJOB]).findings
        if finding.severity == "error"
    )
    assert refused.code == "release-lacks"
    assert "v1.8.1" in refused.summary


def test_trap_10_a_trainjob_writes_all_of_its_resources() -> None:
    node = run(Backend.TRAINJOB, gpus=8, fabric="efa")["spec"]["trainer"]["resourcesPerNode"]
    asked = {"cpu", "memory", "nvidia.com/gpu", "vpc.amazonaws.com/efa"}
    assert asked <= set(node["requests"])
    assert asked - {"cpu"} <= set(node["limits"])


def test_trap_11_what_a_trainjob_cannot_carry_is_in_a_runtime_of_its_own() -> None:
    bodies = {body["kind"]: body for body in objects(**KINDS[Backend.TRAINJOB], restarts=2)}
    runtime = bodies["TrainingRuntime"]
    reference = bodies["TrainJob"]["spec"]["runtimeRef"]
    assert (reference["kind"], reference["name"]) == ("TrainingRuntime", runtime["metadata"]["name"])
    assert runtime["spec"]["template"]["spec"]["failurePolicy"]["maxRestarts"] == 2
    (pod,) = pods([runtime])
    assert pod["securityContext"]["runAsNonRoot"] is True


@EVERY_KIND
def test_trap_12_read_only_stays_read_only(backend: Backend) -> None:
    data = {"in": {"volume": "data", "mountPath": "/in", "readOnly": True}}
    mounts = [
        mount
        for pod in pods(objects(**{**KINDS[backend], "data": data}))
        for container in pod["containers"]
        for mount in container.get("volumeMounts", ())
        if mount["name"] == "in"
    ]
    assert mounts
    assert all(mount["readOnly"] is True for mount in mounts)


def test_trap_13_a_misspelt_field_of_a_manifest_is_seen(tmp_path: Path) -> None:
    patch = {"target": {"kind": "PyTorchJob"}, "merge": {"spec": {"elasticPolicy": {"rdvzBackend": "c10d"}}}}
    wishes: dict[str, Any] = {
        **KINDS[Backend.PYTORCHJOB],
        "nodes": {"min": 2, "max": 3},
        "patches": [patch],
    }
    project = write_project(tmp_path, files(**wishes))
    result = project.run("check")
    assert result.code == 1
    assert "rdvzBackend" in result.out


@EVERY_KIND
def test_trap_14_nothing_empty_is_written(backend: Backend) -> None:
    empty = [
        path
        for body in objects(**KINDS[backend])
        for path, value in walk(body)
        if value in (None, "", [], {}) and path[-1] not in MEANT_EMPTY
    ]
    assert empty == []


@EVERY_KIND
def test_trap_15_nothing_deletes_what_git_holds(backend: Backend) -> None:
    keys = {path[-1] for body in objects(**KINDS[backend]) for path, _ in walk(body) if path}
    assert "ttlSecondsAfterFinished" not in keys


@EVERY_KIND
def test_trap_16_no_pod_has_more_than_it_needs(backend: Backend) -> None:
    for pod in pods(objects(**KINDS[backend])):
        assert {"hostNetwork", "hostPID", "hostIPC"}.isdisjoint(pod)
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            context = container["securityContext"]
            assert context["allowPrivilegeEscalation"] is False
            assert context["capabilities"]["drop"] == ["ALL"]
            assert set(context["capabilities"].get("add", ())) <= {"NET_BIND_SERVICE"}


def test_trap_17_namespace_queue_and_class_are_the_teams_and_the_clusters() -> None:
    other = found(cluster=LAB.replace("class: efs", "class: gold")).plan
    (team,) = other.teams
    assert {volume.storage.storage_class for volume in team.volumes.values()} == {"gold"}
    target = other.targets[0]
    assert (target.namespace, target.queue) == (team.namespace, team.queue) == ("team-vision", "vision")


def test_trap_18_a_queue_covers_every_resource_that_its_jobs_ask_for(tmp_path: Path) -> None:
    project = write_project(tmp_path, files(**KINDS[Backend.PYTORCHJOB], gpus=8, fabric="efa"))
    assert project.run("render").code == 0
    queue = (project.path / "rendered/lab/queues/clusterqueue-vision.yaml").read_text()
    assert "- vpc.amazonaws.com/efa" in queue


@EVERY_KIND
def test_trap_19_no_network_interface_is_named_for_everybody(backend: Backend) -> None:
    names = {
        entry["name"]
        for pod in pods(objects(**KINDS[backend]))
        for entry in pod["containers"][0].get("env", ())
    }
    assert names.isdisjoint({"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"})


def test_trap_20_one_number_of_restarts_is_translated_for_each_kind() -> None:
    counted = {
        Backend.JOB: 2,
        Backend.PYTORCHJOB: 2 * 3 + 1,
        Backend.TFJOB: 2 * 3 + 1,
        Backend.MPIJOB: 2,
        Backend.JOBSET: 2,
        Backend.RAYJOB: 2,
    }
    places = {
        Backend.JOB: ("spec", "backoffLimit"),
        Backend.PYTORCHJOB: ("spec", "runPolicy", "backoffLimit"),
        Backend.TFJOB: ("spec", "runPolicy", "backoffLimit"),
        Backend.MPIJOB: ("spec", "runPolicy", "backoffLimit"),
        Backend.JOBSET: ("spec", "failurePolicy", "maxRestarts"),
        Backend.RAYJOB: ("spec", "backoffLimit"),
    }
    for backend, place in places.items():
        assert dict(walk(run(backend, restarts=2)))[place] == counted[backend]
        assert CARRIERS[backend].restarts.field.startswith(".".join(place))


def test_trap_21_two_operators_cannot_own_mpijob() -> None:
    both = LAB.replace(
        "training-operator: v1.9.4", "training-operator: {release: v1.9.4, kinds: [MPIJob, PyTorchJob]}"
    )
    assert [finding.code for finding in found(cluster=both).findings if finding.severity == "error"] == [
        "mpijob-clash"
    ]


def test_trap_22_a_rayjob_in_a_queue_tears_its_cluster_down(tmp_path: Path) -> None:
    spec = run(Backend.RAYJOB)["spec"]
    assert spec["shutdownAfterJobFinishes"] is True
    assert "clusterSelector" not in spec
    roles = {"head": {}} | {f"w{number}": {} for number in range(18)}
    wishes: dict[str, Any] = {**KINDS[Backend.RAYJOB], "nodes": None, "roles": roles}
    project = write_project(tmp_path, files(**wishes))
    result = project.run("check")
    assert result.code == 1
    assert "refused-kueue" in result.out


def test_trap_23_the_init_container_that_the_operator_adds_is_secured(tmp_path: Path) -> None:
    project = write_project(tmp_path, files(**KINDS[Backend.PYTORCHJOB]))
    assert project.run("render").code == 0
    (template,) = (project.path / "rendered/lab").rglob("configmap-*init*.yaml")
    text = template.read_text()
    assert "allowPrivilegeEscalation: false" in text
    assert "seccompProfile" in text
    assert "runAsNonRoot" not in text  # a pod that runs as root for its fabric would wait for ever


@EVERY_KIND
def test_trap_24_a_name_that_leaves_no_room_is_refused(backend: Backend) -> None:
    target = found(**KINDS[backend]).target()
    budget = name_budget(backend, {role.name: role.pods for role in target.roles})
    fits = "a" * (budget - (len(target.run) - len("resnet")))
    assert [word for word in refusals(**KINDS[backend], name=fits) if word.startswith("name-too-long")] == []
    refused = refusals(**KINDS[backend], name=f"{fits}a")
    assert [word.partition(" ")[0] for word in refused] == ["name-too-long"]


@EVERY_KIND
def test_trap_25_a_secret_in_clear_is_refused_and_never_repeated(backend: Backend) -> None:
    token = "hf_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7"
    resolved = found(**KINDS[backend], env={"HF_TOKEN": token})
    assert "plain-secret" in [finding.code for finding in resolved.findings]
    assert token not in "".join(f"{finding.summary}{finding.detail}" for finding in resolved.findings)
