"""Pods as processes: the launcher, the command below it, and what can be asked of them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
RUNTIME = HERE.parents[2] / "generator" / "runtime"
PATIENCE_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(is_so: Callable[[], object], what: str) -> None:
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.01)


@dataclass
class Pod:
    """One container that runs, with its progress folder and what it wrote."""

    process: subprocess.Popen[bytes]
    folder: Path
    command: tuple[str, ...]
    variables: dict[str, object]

    def notes(self) -> dict[int, dict[str, object]]:
        """What each rank does now."""
        notes = {}
        for path in (self.folder / "progress").glob("rank-*.json"):
            text = path.read_text()
            if text.strip():
                notes[int(path.stem.partition("-")[2])] = json.loads(text)
        return notes

    def step(self) -> int:
        """How far the rank that is furthest behind is."""
        return min((note["step"] for note in self.notes().values()), default=-1)

    def events(self, event: str) -> list[dict[str, object]]:
        """What has happened to its ranks, of one sort."""
        logs = sorted((self.folder / "progress").glob("rank-*.log"))
        lines = [json.loads(line) for log in logs for line in log.read_text().splitlines()]
        return [line for line in lines if line["event"] == event]

    def kill(self) -> None:
        """kill -9, the launcher and all that is below, as when a node dies."""
        self.process.kill()
        for note in self.notes().values():
            if note["doing"] not in ("left", "finished"):
                with suppress(ProcessLookupError):
                    os.kill(note["pid"], signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM to the container's first process, as the kubelet does it."""
        self.process.terminate()

    def code(self) -> int:
        """With what the container left."""
        return self.process.wait(PATIENCE_SECONDS)

    def said(self) -> str:
        """All that it wrote."""
        return (self.folder / "log").read_text()


@dataclass
class Cluster:
    """Where pods of one run start: they share the checkpoint directory, and the record of what was trained on."""

    root: Path
    python: list[str]
    """The command that Python programs run with."""
    pods: list[Pod] = field(default_factory=list)

    def start(self, *command: str, launched: bool = True, **variables: object) -> Pod:
        """Run a command below the launcher, in a container of its own."""
        folder = self.root / f"pod-{len(self.pods)}"
        (folder / "progress").mkdir(parents=True)
        (self.root / "record").mkdir(exist_ok=True)
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(RUNTIME),
            "OMP_NUM_THREADS": "1",
            "RECORD": str(self.root / "record"),
            "TRAINSHED_PROGRESS": str(folder / "progress"),
            "TRAINSHED_CHECKPOINT_DIR": str(self.root / "checkpoints"),
            "TRAINSHED_CHECKPOINT_EVERY_STEPS": "5",
            "TRAINSHED_CHECKPOINT_KEEP_LAST": "3",
            "TRAINSHED_GRACE_SECONDS": "20",
            **{name: str(value) for name, value in variables.items()},
        }
        launcher = [sys.executable, "-m", "trainshed_runtime.launch"] if launched else []
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(
                [*launcher, *command],
                env=environ,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.pods.append(Pod(process, folder, command, variables))
        return self.pods[-1]

    def replace(self, pod: Pod) -> Pod:
        """Start the pod that comes in the place of one that is gone."""
        return self.start(*pod.command, **pod.variables)

    def port(self) -> int:
        """A port that nobody has."""
        return free_port()

    def train(self, **variables: object) -> Pod:
        """One pod with one process."""
        return self.start(*self.python, str(HERE / "programs" / "train.py"), **variables)

    def train_in_two(self, *, port: int | None = None, **variables: object) -> list[Pod]:
        """Two pods with one process each, as a PyTorchJob without torchrun has them."""
        world = {"WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port or free_port()}
        return [self.train(RANK=rank, LOCAL_RANK=0, **world, **variables) for rank in range(2)]

    def torchrun(self, *arguments: str, **variables: object) -> Pod:
        """A pod whose command is torchrun."""
        run = [*self.python, "-m", "torch.distributed.run", *arguments, "--no-python"]
        return self.start(*run, *self.python, str(HERE / "programs" / "train.py"), **variables)

    def end(self) -> dict[str, object]:
        """The digest of all state at the end of the run, by rank."""
        return {path.stem: json.loads(path.read_text()) for path in (self.root / "record").glob("end-*.json")}

    def steps(self) -> list[dict[str, object]]:
        """Every step that any rank made, kept or lost."""
        logs = (self.root / "record").glob("steps-*.log")
        return [json.loads(line) for log in logs for line in log.read_text().splitlines()]

    def seen(self) -> dict[int, list[int]]:
        """By epoch the samples of the steps that counted: a step that was lost and made again counts the last time."""
        by_step = defaultdict(list)
        for step in self.steps():
            by_step[step["step"]].append(step)
        seen = defaultdict(list)
        for steps in by_step.values():
            last = max(steps, key=lambda step: step["at"])["life"]
            for step in steps:
                if step["life"] == last:
                    seen[step["epoch"]] += step["indices"]
        return {epoch: sorted(indices) for epoch, indices in seen.items()}

    def clear(self) -> None:
        """Nothing is left behind."""
        for pod in self.pods:
            if pod.process.poll() is None:
                pod.kill()
                pod.process.wait()
