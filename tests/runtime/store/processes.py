"""Real processes for these tests: forked from a server that has imported PyTorch once."""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runtime.store import programs
from trainshed_runtime.contract import Contract

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["runtime.store.programs", "torch._dynamo"]
)  # optimizers import the second, slowly
_PATIENCE_SECONDS = 50


def run(program: Callable[..., None], *args: Any) -> int:
    """Run a program to its end; its exit code, negative for a signal."""
    process = PROCESSES.Process(target=program, args=args)
    process.start()
    process.join(_PATIENCE_SECONDS)
    assert process.exitcode is not None, "the process hangs"
    return process.exitcode


def together(program: Callable[..., None], argument_lists: list[tuple[Any, ...]], answers: int) -> list[Any]:
    """Run a program in several processes at once, each with a queue for its answer as last argument."""
    asked = PROCESSES.Queue()
    started = [PROCESSES.Process(target=program, args=(*args, asked)) for args in argument_lists]
    for process in started:
        process.start()
    try:
        given = [asked.get(timeout=_PATIENCE_SECONDS) for _ in range(answers)]
    except queue.Empty:
        given = []
    for process in started:
        process.join(5)
        if process.exitcode is None:
            process.kill()
    assert given, [process.exitcode for process in started]
    return given


def train(kind: str, contract: Contract, world_size: int, task: str, meeting: Path) -> Any:
    """All ranks of a training; the position, the full state, the schedule's epoch and the own state of rank 0."""
    return together(
        programs.ranks,
        [(kind, contract, rank, world_size, str(meeting), task) for rank in range(world_size)],
        answers=1,
    )[0]
