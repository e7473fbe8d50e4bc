"""Tries the runtime on the GPUs of this machine: a program, no test. Prints a line of JSON for each trial.

    PYTHONPATH=generator/runtime:tests python tests/runtime/gpu_trial.py

One rank for each GPU below torchrun, NCCL for tensors, gloo beside it.
"""

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from runtime.loop.pods import Cluster, Pod, until

NUM_GPUS = max(1, torch.cuda.device_count())
ENVIRONMENT = {
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",  # the same sums each time: PyTorch's notes on reproducibility
    "SAMPLES": 64 * NUM_GPUS,
    "EPOCHS": 3,
    "STEP_SECONDS": 0.05,
    **{name: os.environ[name] for name in ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES") if name in os.environ},
}


def start(cluster: Cluster, **variables: object) -> Pod:
    """A pod with torchrun and a rank for each GPU."""
    return cluster.torchrun("--standalone", f"--nproc-per-node={NUM_GPUS}", **{**ENVIRONMENT, **variables})


def kill_and_resume(folder: Path) -> dict[str, object]:
    """Killed with -9 between two saves, and started again: is the end state the undisturbed one, to the bit?"""
    straight, broken = (Cluster(folder / name, [sys.executable]) for name in ("straight", "broken"))
    undisturbed = start(straight).code()
    pod = start(broken)
    until(lambda: pod.step() >= 8, "eight steps are done")
    os.kill(pod.notes()[0]["pid"], signal.SIGKILL)
    killed = pod.code()
    started = time.monotonic()
    again = start(broken)
    until(lambda: again.events("resumed"), "it has resumed")
    seconds = time.monotonic() - started
    finished = again.code()
    return {
        "codes": [undisturbed, killed, finished],
        "resumed": again.events("resumed")[0]["step"],
        "seconds_to_resume": round(seconds, 2),
        "same_bits": straight.end() == broken.end() and len(broken.end()) == NUM_GPUS,
    }


def told_to_stop(folder: Path) -> dict[str, object]:
    """SIGTERM to the launcher: all ranks save and the container leaves with 143."""
    cluster = Cluster(folder, [sys.executable])
    pod = start(cluster, TRAINSHED_CHECKPOINT_EVERY_STEPS=1000)
    until(lambda: pod.step() >= 5, "five steps are done")
    started = time.monotonic()
    pod.terminate()
    code = pod.code()
    seconds = time.monotonic() - started
    left = {event["step"] for event in pod.events("left")}
    again = start(cluster)
    finished = again.code()
    return {
        "codes": [code, finished],
        "seconds_to_leave": round(seconds, 2),
        "left_together": len(left) == 1,
        "nothing_lost": {event["step"] for event in again.events("resumed")} == left,
    }


def finished_again(folder: Path) -> dict[str, object]:
    """A finished run that is started again."""
    cluster = Cluster(folder, [sys.executable])
    return {"codes": [start(cluster, EPOCHS=1).code(), start(cluster, EPOCHS=1).code()]}


def rank_killed(folder: Path) -> dict[str, object]:
    """kill -9 of one rank while the others wait in NCCL: no 143, and no wait without end."""
    cluster = Cluster(folder, [sys.executable])
    pod = start(cluster)
    until(lambda: pod.step() >= 3, "three steps are done")
    os.kill(pod.notes()[NUM_GPUS - 1]["pid"], signal.SIGKILL)
    started = time.monotonic()
    return {"codes": [pod.code()], "seconds_to_fail": round(time.monotonic() - started, 2)}


TRIALS: tuple[Callable[[Path], dict[str, object]], ...] = (
    kill_and_resume,
    told_to_stop,
    finished_again,
    rank_killed,
)


def main() -> None:
    """Try everything; what fails says so in its line."""
    kind = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU: gloo on the CPU"
    for trial in TRIALS:
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            try:
                result = trial(Path(folder))
            except AssertionError as error:
                logs = [log.read_text()[-2000:] for log in sorted(Path(folder).rglob("pod-*/log"))]
                result = {"failed": str(error), "logs": logs}
            seen = {"trial": trial.__name__, "ranks": NUM_GPUS, "device": kind, **result}
            print(json.dumps({**seen, "seconds": round(time.monotonic() - started, 1)}), flush=True)


main()
