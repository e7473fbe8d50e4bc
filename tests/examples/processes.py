"""The scripts beside the specs, as processes of their own.

Those that need PyTorch are forked from a process that has imported it already, which takes seconds each time.
"""

import json
import multiprocessing
import os
import re
import runpy
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from trainshed_runtime.progress import read_notes

JOBS = Path(__file__).parents[2] / "specs/jobs"
PATIENCE = 300.0
"""Seconds that a process gets for what takes a few on a machine of its own."""

os.environ.setdefault("OMP_NUM_THREADS", "1")
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["torch", "trainshed_runtime.run", "xgboost"])


@dataclass(frozen=True)
class Script:
    """A script that runs."""

    process: ForkServerProcess
    folder: Path

    def leaves(self) -> int:
        """The code that it leaves with, when it does: 0, or for signal n -n."""
        self.process.join(PATIENCE)
        assert self.process.exitcode is not None, f"still running:\n{self.output()}"
        return self.process.exitcode

    def kill(self, number: signal.Signals = signal.SIGKILL) -> int:
        """Send it a signal, and wait until it is gone."""
        os.kill(self.process.pid or 0, number)
        return self.leaves()

    def output(self) -> str:
        """What it has said by now."""
        return (self.folder / "output").read_text("utf-8")

    def losses(self) -> list[float]:
        """Each loss that it has told."""
        return [float(loss) for loss in re.findall(r"loss[: ](\d\S*)", self.output())]

    def until_step(self, step: int) -> None:
        """Wait until it has done so many steps."""
        wait(lambda: any(note.step >= step for note in read_notes(self.folder)), self.output)


def start(script: str, *arguments: str, folder: Path, **environ: str) -> Script:
    """Start a script with these variables and no others; its output and its progress go to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for note in folder.glob("rank-*.json"):
        note.unlink()
    (folder / "output").write_bytes(b"")
    kept = {name: os.environ[name] for name in ("PATH", "OMP_NUM_THREADS")}
    given = {
        "HOME": str(folder),
        "TRAINSHED_PROGRESS": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        **environ,
    }
    process = FORKS.Process(
        target=_become, args=(JOBS / script, arguments, kept | given, folder / "output"), daemon=True
    )
    process.start()
    return Script(process, folder)


def _become(script: Path, arguments: Sequence[str], environ: Mapping[str, str], output: Path) -> None:
    """Be `python script arguments…`, as far as the script can tell."""
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(output.parent)
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.parent))
    runpy.run_path(str(script), run_name="__main__")


def wait(done: Callable[[], object], said: Callable[[], str]) -> None:
    """Wait until something is so; what was said is shown where it never is."""
    until = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until, said()
        time.sleep(0.02)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ranks(world_size: int) -> list[dict[str, str]]:
    """The variables of each rank of a world on this machine, as the operators set them."""
    world = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(world_size)}
    return [world | {"RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(world_size)]


def events(folder: Path, event: str) -> list[int]:
    """The steps at which rank 0 noted such an event."""
    log = folder / "rank-0.log"
    lines = map(json.loads, log.read_text("utf-8").splitlines() if log.exists() else [])
    return [line["step"] for line in lines if line["event"] == event]


def last_state(checkpoints: Path) -> dict[str, Any]:
    """The state in the checkpoint of the last step."""
    import torch

    *_, newest = sorted(marker.parent for marker in checkpoints.glob("step-*/COMPLETE.json"))
    return torch.load(newest / "state.pt", weights_only=True)
