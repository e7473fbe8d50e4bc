"""The training runtime in a manifest: how it comes into the pods, starts the program, and says why it left."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kinds import jobsets
from kinds.batch import HEAD, container_of, files, render, said, variables
from repositories import CLUSTER, JOB
from stages import street

APP = "job-vision-resnet"
CARRIED = JOB + "runtime: carried\n"
DDP = HEAD + "framework: pytorch\nnodes: 2\ngpus: 8\nfabric: none\nruntime: carried\nrun: {module: train}\n"
RAY = HEAD + "framework: ray\nrayVersion: 2.40.0\nruntime: carried\nrun: {command: [python, train.py]}\n"
RAY_ROLES = "roles: {head: {}, workers: {nodes: 2}}\n"
LEFT = {"containerName": "train", "operator": "In", "values": [143]}


def carried(job: str) -> dict[str, Any]:
    bodies = street.bodies(street.compile_files(files(job)), [APP])
    (found,) = (body for body in bodies if "-runtime-" in body["metadata"]["name"])
    return found


def lay_out(template: dict[str, Any], config_map: dict[str, Any], folder: Path) -> Path:
    """The volume as the kubelet would write it."""
    (volume,) = (volume for volume in template["spec"]["volumes"] if volume["name"] == "runtime")
    assert volume["configMap"]["name"] == config_map["metadata"]["name"]
    for item in volume["configMap"]["items"]:
        path = folder / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(config_map["data"][item["key"]], "utf-8")
    return folder


def test_a_carried_runtime_starts_the_program_and_the_program_finds_it(tmp_path: Path) -> None:
    template = render(CARRIED, "Job")["spec"]["template"]
    container = container_of(template)
    assert container["command"] == ["python", "/opt/trainshed", "python", "-m", "train"]
    (mount,) = (mount for mount in container["volumeMounts"] if mount["name"] == "runtime")
    assert mount == {"name": "runtime", "mountPath": "/opt/trainshed", "readOnly": True}
    folder = lay_out(template, carried(CARRIED), tmp_path / "opt")
    words = "import trainshed_runtime, os; print(trainshed_runtime.__file__, os.environ['PYTHONPATH'])"
    done = subprocess.run(
        [sys.executable, "-S", str(folder), sys.executable, "-S", "-c", words],
        env={"PYTHONPATH": "/opt/image", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"{folder}/trainshed_runtime/__init__.py", f"{folder}:/opt/image"]


def test_a_carried_runtime_leaves_with_the_code_of_the_program(tmp_path: Path) -> None:
    template = render(CARRIED, "Job")["spec"]["template"]
    folder = lay_out(template, carried(CARRIED), tmp_path / "opt")
    done = subprocess.run(
        [sys.executable, str(folder), sys.executable, "-c", "raise SystemExit(7)"], timeout=60, check=False
    )
    assert done.returncode == 7


def test_a_carried_runtime_has_room_for_more_in_its_config_map() -> None:
    data = carried(CARRIED)["data"]
    assert sum(map(len, data.values())) < 512 * 1024
    assert not any(
        line.startswith(("import yaml", "import numpy"))
        for text in data.values()
        for line in text.split("\n")
    )


def test_an_installed_runtime_is_only_called() -> None:
    job = JOB + "runtime: installed\n"
    template = render(job, "Job")["spec"]["template"]
    assert container_of(template)["command"] == ["python", "-m", "trainshed_runtime", "python", "-m", "train"]
    assert not any(volume["name"] == "runtime" for volume in template["spec"].get("volumes", ()))


def test_without_a_runtime_nothing_stands_before_the_program() -> None:
    spec = render(JOB, "Job")["spec"]
    assert container_of(spec["template"])["command"] == ["python", "-m", "train"]
    assert "143" not in str(spec)


def test_commands_before_the_program_come_before_its_runtime_as_well() -> None:
    job = (
        JOB.replace("[python, -m, train]}", "[python, -m, train], setup: [pip check]}")
        + "runtime: installed\n"
    )
    command = container_of(render(job, "Job")["spec"]["template"])["command"]
    assert command[:3] == ["/bin/sh", "-euc", 'pip check\nexec "$@"']
    assert command[4:] == ["python", "-m", "trainshed_runtime", "python", "-m", "train"]


def test_torchrun_is_started_by_the_runtime_on_every_node() -> None:
    job = render(DDP, "PyTorchJob")
    for part in job["spec"]["pytorchReplicaSpecs"].values():
        assert container_of(part["template"])["command"] == ["python", "/opt/trainshed", "torchrun"]


def test_ray_starts_its_driver_by_the_runtime_and_tells_its_workers_where_it_lies() -> None:
    job = render(RAY + RAY_ROLES, "RayJob")
    assert job["spec"]["entrypoint"] == "python /opt/trainshed python train.py"
    (workers,) = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert variables(workers["template"])["PYTHONPATH"] == "/opt/trainshed"


def test_what_an_image_starts_by_itself_no_runtime_can_start() -> None:
    (found,) = said(HEAD + "run: {entrypoint: image}\nruntime: carried\n")
    assert "conflicting-choice: what the image's own entrypoint is cannot be known" in found


def test_mpirun_brings_processes_and_signals_of_its_own() -> None:
    cluster = CLUSTER.replace("  kueue: v0.19.2\n", "  kueue: v0.19.2\n  mpi-operator: v0.8.2\n")
    job = HEAD + "framework: horovod\nnodes: 2\nruntime: carried\nrun: {command: [python, train.py]}\n"
    assert [found.partition(": ")[2] for found in said(job, cluster)] == ["an MPIJob cannot honour runtime"]


@pytest.mark.parametrize(
    ("faults", "action"), [("unlimited", "Ignore"), ("counted", "Count"), ("none", "FailJob")]
)
def test_a_program_that_was_told_to_stop_costs_what_a_disruption_costs(faults: str, action: str) -> None:
    job = CARRIED + f"restarts: {{failures: 1, faults: {faults}}}\n"
    disrupted, left = render(job, "Job")["spec"]["podFailurePolicy"]["rules"]
    assert disrupted["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
    assert (left["action"], left["onExitCodes"]) == (action, LEFT)


def test_whoever_calls_the_code_a_failure_is_believed() -> None:
    rules = render(CARRIED + "restarts: 1\nfailOn: [143]\n", "Job")["spec"]["podFailurePolicy"]["rules"]
    assert [rule["action"] for rule in rules] == ["FailJob", "Ignore"]
    assert "onExitCodes" not in rules[1]


def test_only_some_codes_are_worth_another_try_and_being_told_to_stop_is_none_of_the_others() -> None:
    rules = render(CARRIED + "restarts: 3\nretryOn: [75]\n", "Job")["spec"]["podFailurePolicy"]["rules"]
    assert [rule["action"] for rule in rules] == ["Ignore", "Ignore", "FailJob"]
    assert rules[1]["onExitCodes"] == LEFT


def test_a_job_set_whose_pod_was_told_to_stop_starts_again_without_counting() -> None:
    job = jobsets.LLM + "backend: jobset\nruntime: carried\nrestarts: 3\nfailOn: [42]\n"
    spec = jobsets.render(job, "JobSet")["spec"]
    names = [(rule["name"], rule["action"]) for rule in spec["failurePolicy"]["rules"]]
    assert names == [
        ("told-to-stop", "RestartJobSetAndIgnoreMaxRestarts"),
        ("fatal", "FailJobSet"),
        ("disrupted", "RestartJobSetAndIgnoreMaxRestarts"),
    ]
    told = spec["failurePolicy"]["rules"][0]
    assert told["onJobFailureMessagePatterns"] == ["failed with exit code 143 matching FailJob rule"]


def test_to_take_the_runtime_along_starts_a_run_and_leaves_its_lineage() -> None:
    saves = "checkpoint: {volume: checkpoints}\n"
    before, after = (render(job + saves, "Job") for job in (JOB, CARRIED))
    assert before["metadata"]["name"] != after["metadata"]["name"]
    directories = {variables(job["spec"]["template"])["TRAINSHED_CHECKPOINT_DIR"] for job in (before, after)}
    assert len(directories) == 1


def test_a_run_may_hang_as_long_as_it_says_also_without_gpus() -> None:
    job = CARRIED + "hang: 10m\n"
    assert variables(render(job, "Job")["spec"]["template"])["TRAINSHED_HANG_SECONDS"] == "600"
