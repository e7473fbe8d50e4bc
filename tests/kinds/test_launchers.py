"""What starts a script: torchrun, accelerate, deepspeed, python; and what runs before it."""

import base64
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, write_project
from stages.street import Files, bodies, compile_files, resolve

SCRIPT = JOB.replace("run: {command: [python, -m, train]}\n", "") + "framework: pytorch\nfabric: none\n"
TWO_NODES = SCRIPT + "nodes: 2\ngpus: {type: h100, perNode: 8}\nrun: {script: train.py}\n"
OPERATORS = CLUSTER.replace(
    "  kuberay: v1.6.2\n", "  kuberay: v1.6.2\n  jobset: v0.12.0\n  trainer: v2.3.0\n"
)


def files(job: str) -> Files:
    code = {"specs/jobs/vision/train.py": "print(1)\n", "specs/clusters/lab.yaml": OPERATORS}
    return {**SMALL, **code, "specs/jobs/vision/resnet.yaml": job}


def container(job: str, kind: str) -> Any:
    """The first container of the first pods of the run's object."""
    (made,) = (
        made for made in bodies(compile_files(files(job)), ["job-vision-resnet"]) if made["kind"] == kind
    )
    return _find(made)


def _find(value: Any) -> Any:
    if isinstance(value, dict):
        if "containers" in value:
            return value["containers"][0]
        if "trainer" in value:
            return value["trainer"]
        return next((found for item in value.values() if (found := _find(item))), None)
    return (
        next((found for item in value if (found := _find(item))), None) if isinstance(value, list) else None
    )


def said(job: str) -> list[str]:
    return [finding.summary for finding in resolve(files(job)).findings]


@pytest.mark.parametrize("kind", ["PyTorchJob", "TrainJob", "JobSet"])
def test_accelerate_is_told_the_nodes_the_processes_and_where_the_first_node_is(kind: str) -> None:
    made = container(TWO_NODES + f"launcher: accelerate\nbackend: {kind.lower()}\n", kind)

    assert made["command"] == [
        "accelerate",
        "launch",
        "--multi_gpu",
        "--num_machines=2",
        "--num_processes=16",
        "--machine_rank=$(PET_NODE_RANK)",
        "--main_process_ip=$(PET_MASTER_ADDR)",
        "--main_process_port=$(PET_MASTER_PORT)",
    ]
    assert made["args"] == ["/code/train.py"]


@pytest.mark.parametrize("kind", ["PyTorchJob", "TrainJob", "JobSet"])
def test_deepspeed_runs_on_each_node_without_ssh(kind: str) -> None:
    made = container(TWO_NODES + f"launcher: deepspeed\nbackend: {kind.lower()}\n", kind)

    *launcher, world, rank, address, port = made["command"]
    assert launcher == ["python", "-m", "deepspeed.launcher.launch"]
    told = json.loads(base64.urlsafe_b64decode(world.removeprefix("--world_info=")))
    assert list(told.values()) == [list(range(8))] * 2
    assert (rank, address, port) == (
        "--node_rank=$(PET_NODE_RANK)",
        "--master_addr=$(PET_MASTER_ADDR)",
        "--master_port=$(PET_MASTER_PORT)",
    )


def test_ten_and_more_nodes_of_deepspeed_keep_their_order() -> None:
    many = TWO_NODES.replace("nodes: 2", "nodes: 12").replace("perNode: 8", "perNode: 1")
    made = container(many + "launcher: deepspeed\n", "PyTorchJob")

    world = next(word for word in made["command"] if word.startswith("--world_info="))
    names = list(json.loads(base64.urlsafe_b64decode(world.removeprefix("--world_info="))))
    assert len(names) == 12
    assert names == sorted(names)


def test_modules_are_named_as_each_launcher_wants_it() -> None:
    module = TWO_NODES.replace("script: train.py", "module: train.main")

    words = {
        launcher: container(module + f"launcher: {launcher}\n", "PyTorchJob")["args"]
        for launcher in ("torchrun", "accelerate", "deepspeed")
    }
    assert words == {
        "torchrun": ["-m", "train.main"],
        "accelerate": ["--module", "train.main"],
        "deepspeed": ["--module", "train.main"],
    }


def test_one_node_needs_no_address_of_another() -> None:
    made = container(TWO_NODES.replace("nodes: 2", "nodes: 1") + "launcher: accelerate\n", "Job")

    assert made["command"] == ["accelerate", "launch", "--multi_gpu", "--num_machines=1", "--num_processes=8"]


@pytest.mark.parametrize("launcher", ["accelerate", "deepspeed"])
def test_nodes_that_come_and_go_need_torchrun(launcher: str) -> None:
    elastic = (
        TWO_NODES.replace("nodes: 2", "nodes: {min: 1, max: 2}") + f"queue: none\nlauncher: {launcher}\n"
    )

    assert f"{launcher} cannot go on with fewer nodes than it starts with" in said(elastic)


def test_what_is_no_launcher_of_the_framework_is_refused() -> None:
    jax = TWO_NODES.replace("framework: pytorch", "framework: jax").replace("nodes: 2\n", "")

    assert "framework jax is not started by deepspeed" in said(jax + "launcher: deepspeed\n")


def test_setup_stops_at_the_first_failure(tmp_path: Path) -> None:
    run = 'run: {setup: ["false", "touch late"], command: [touch, trained]}\n'
    done = subprocess.run(words(run), cwd=tmp_path, check=False)

    assert done.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_setup_runs_in_order_and_then_the_program_with_its_words_untouched(tmp_path: Path) -> None:
    run = 'run: {setup: ["echo one > log", "echo $(echo two) >> log"], command: [sh, -c, \'echo "$1" >> log\', --, "a  b"]}\n'
    subprocess.run(words(run), cwd=tmp_path, check=True)

    assert (tmp_path / "log").read_text() == "one\ntwo\na  b\n"


def test_the_signal_to_stop_reaches_the_program_and_no_shell_stands_before_it(tmp_path: Path) -> None:
    program = "import os, signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); print(os.getpid(), flush=True); signal.pause()"
    run = f"run: {{setup: ['true'], command: [python3, -c, {json.dumps(program)}]}}\n"
    with subprocess.Popen(words(run), cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGTERM)
        assert (pid, process.wait()) == (process.pid, 7)


def words(run: str) -> list[str]:
    """The rendered command, as the kubelet starts it: $$ stands for $."""
    made = container(JOB.replace("run: {command: [python, -m, train]}\n", run), "Job")
    return [word.replace("$$", "$") for word in (*made["command"], *made.get("args", ()))]


def test_ray_prepares_its_workers_by_itself() -> None:
    ray = (
        JOB.replace("run: {", "run: {setup: [pip install x], ")
        + "framework: ray\nrayVersion: 2.40.0\nnodes: 2\n"
    )

    (finding,) = resolve(files(ray)).findings
    assert (finding.summary, finding.detail[:24]) == (
        "a RayJob cannot honour run.setup",
        "write runtimeEnv: {pip: ",
    )


def test_nothing_can_run_before_an_entrypoint_that_only_the_image_knows() -> None:
    image = JOB.replace(
        "run: {command: [python, -m, train]}", "run: {entrypoint: image, setup: [pip install x]}"
    )

    assert said(image) == [
        "what the image's own entrypoint is cannot be known, and so nothing can run before it"
    ]


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("deepspeed", "write framework: pytorch and launcher: deepspeed"),
        ("tf", "write framework: tensorflow"),
        ("Torch", "write framework: pytorch"),
    ],
)
def test_words_that_people_write_for_a_framework_are_understood(
    word: str, advice: str, tmp_path: Path
) -> None:
    project = write_project(
        tmp_path, {**SMALL, "specs/jobs/vision/resnet.yaml": JOB + f"framework: {word}\n"}
    )
    made = project.run("check")
    assert f'"{word}" is no framework of its own' in made.out
    assert advice in made.out
