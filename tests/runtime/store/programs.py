"""What the processes of these tests do: small trainings whose state says by itself which step it is of."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from trainshed_runtime import checkpointer as checkpointing
from trainshed_runtime.checkpointer import Checkpointer
from trainshed_runtime.checkpoints import Position
from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import Fence, Superseded
from trainshed_runtime.storage import Folder, open_storage

torch.set_num_threads(1)


class Counter:
    """A part whose whole state follows from the step, so that a damaged or mixed one cannot pass."""

    def __init__(self, size: int = 2000) -> None:
        self.values = torch.zeros(size)

    def at(self, step: int) -> Counter:
        self.values = torch.arange(self.values.numel(), dtype=torch.float32) + 10_000 * step
        return self

    def step(self) -> int:
        step = int(self.values[0]) // 10_000
        assert torch.equal(self.values, Counter(self.values.numel()).at(step).values), (
            "a mixed state was loaded"
        )
        return step

    def state_dict(self) -> dict[str, Any]:
        return {"values": self.values, "words": ["of", {"a": (1, 2.5, None)}]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        assert state["words"] == ["of", {"a": (1, 2.5, None)}]
        self.values = state["values"].clone()


class Rank:
    """What one rank alone has."""

    def __init__(self, number: int) -> None:
        self.number = number

    def state_dict(self) -> dict[str, Any]:
        return {"number": self.number}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.number = state["number"]


def saved(contract: Contract, *steps: int) -> None:
    """A run that saves these steps, and ends without having finished."""
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract)
    checkpointer.load()
    for step in steps:
        counter.at(step)
        checkpointer.save(Position(step), metric=float(step))
    checkpointer.wait()


def loaded(contract: Contract) -> int | None:
    """The step that a new start of the run goes on from, of which every value was looked at."""
    counter = Counter()
    position = Checkpointer({"counter": counter}, contract).load()
    if position is None:
        return None
    assert counter.step() == position.step
    return position.step


class Mortal(Folder):
    """A folder whose process is killed once it has written so many bytes."""

    left = 0

    @contextmanager
    def write(self, path: str) -> Any:
        with super().write(path) as file:
            yield _Stream(file, self)


class _Stream:
    def __init__(self, file: Any, folder: Any) -> None:
        self._file = file
        self._folder = folder

    def write(self, data: Any) -> None:
        self._file.write(data[: self._folder.left])
        self._folder.left -= len(data)
        if self._folder.left <= 0:
            self._file.flush()
            self._folder.end()

    def flush(self) -> None:
        self._file.flush()


def die(*_: object, **__: object) -> None:
    """End as a process ends whose power is cut."""
    os.kill(os.getpid(), signal.SIGKILL)


def save_until_killed(contract: Contract, moment: str, number: int) -> None:
    """Save steps 1 and 2, the second up to some moment, at which the process dies."""
    saved(contract, 1)
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract)
    checkpointer.load()
    if moment == "bytes":
        mortal = Mortal(contract.directory or "")
        mortal.left, mortal.end = number, die  # type: ignore[method-assign]
        checkpointer._storage = mortal
    else:
        function, when = moment.split()
        _die_at(function, when, number)
    checkpointer.save(Position(2)) if counter.at(2) else None
    os._exit(0)


def _die_at(function: str, when: str, call: int) -> None:
    real: Callable[..., Any] = getattr(os, function)
    calls = 0

    def dying(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and when == "before":
            die()
        result = real(*args, **kwargs)
        if calls == call and when == "after":
            die()
        return result

    setattr(os, function, dying)


def save_for_ever(contract: Contract) -> None:
    """Go on from where the last process was killed, and save every step."""
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, contract)
    position = checkpointer.load()
    first = position.step if position else 0
    assert first == (counter.step() if position else 0)
    for step in range(first + 1, first + 100_000):
        counter.at(step)
        checkpointer.save(Position(step))


def claim(contract: Contract, start: float, answers: Any) -> None:
    """Claim at the same moment as others; answer with the incarnation, or with why not."""
    storage = open_storage(contract.directory or "")
    time.sleep(max(0.0, start - time.time()))
    try:
        answers.put((contract.attempt, Fence.claim(storage, contract).writer.incarnation))
    except Superseded as error:
        answers.put((contract.attempt, str(error)))


def save_against_others(contract: Contract, started: Any, turn: int, everyone: int, answers: Any) -> None:
    """In its turn, claim, load and save until superseded, or ten times more once everyone has started; answer with what became of it."""
    complete: list[int] = []
    while started.value < turn:
        time.sleep(0.001)
    try:
        counter = Counter()
        try:
            checkpointer = Checkpointer({"counter": counter}, contract)
        finally:
            with started.get_lock():
                started.value += 1
        position = checkpointer.load()
        step, left = position.step if position else 0, 10
        while left:
            left -= started.value == everyone
            step += 1
            counter.at(step)
            checkpointer.save(Position(step))
            complete.append(step)
        answers.put((contract.attempt, complete, "done"))
    except Superseded as error:
        answers.put((contract.attempt, complete, str(error)))


def pause_before_the_marker(contract: Contract, is_there: Any, may_go_on: Any) -> None:
    """Save step 7, and stand still between the last look at the fence and the marker."""
    real = checkpointing.publish

    def late(*args: Any) -> None:
        is_there.set()
        assert may_go_on.wait(30)
        real(*args)

    checkpointing.publish = late  # type: ignore[assignment]
    try:
        saved(contract, 7)
    except RuntimeError:
        os._exit(3)


class Net(torch.nn.Module):
    """Odd sizes, so that no number of ranks divides them; tied weights; a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(11, 7)
        self.norm = torch.nn.BatchNorm1d(7)
        self.hidden = torch.nn.Linear(7, 7)
        self.head = torch.nn.Linear(7, 11, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(torch.relu(self.hidden(self.norm(self.embedding(tokens)))))


def ranks(
    kind: str, contract: Contract, rank: int, world_size: int, meeting: str, task: str, answers: Any
) -> None:
    """One rank of a training: `save` trains and saves step 3, `load` loads it. Answers with the full state.

    `{rank}` in the local folder stands for a node of each rank's own.
    """
    contract = replace(contract, local_dir=contract.local_dir and contract.local_dir.format(rank=rank))
    if world_size > 1:
        distributed.init_process_group(
            "gloo", init_method=f"file://{meeting}", rank=rank, world_size=world_size
        )
    torch.manual_seed(rank if task == "load" else 0)
    model: Any = Net()
    if kind == "fsdp" and world_size > 1:
        mesh = init_device_mesh("cpu", (world_size,))
        fully_shard(model.hidden, mesh=mesh)
        fully_shard(model, mesh=mesh)
    elif world_size > 1:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 5], 0.5)
    own = Rank(rank if task == "save" else -1)
    checkpointer = Checkpointer(
        {"model": model, "optimizer": optimizer, "schedule": schedule},
        contract,
        own=own,
        sharded=kind != "whole",
    )
    position = checkpointer.load()
    if task == "save":
        for _ in range(3):
            model(torch.tensor([1, 2, 3, rank])).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            schedule.step()
        checkpointer.save(Position(3, 1))
        before = _full(model, optimizer)
        if contract.in_background or contract.local_dir:
            for parameter in model.parameters():
                torch.nn.init.zeros_(parameter.detach())
        checkpointer.wait()
    else:
        before = _full(model, optimizer)
    if rank == 0:
        answers.put((position, before, schedule.state_dict()["last_epoch"], own.number))
    if world_size > 1:
        distributed.barrier()
        distributed.destroy_process_group()


def _full(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Every tensor of model and optimizer, put together, as lists that cross to another process."""
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict

    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights, moments = get_state_dict(model, optimizer, options=options)
    flat = {
        f"model.{name}": value for name, value in weights.items()
    }  # all of it on rank 0, nothing on others
    for name, state in moments.get("state", {}).items():
        flat |= {f"optimizer.{name}.{key}": value for key, value in state.items()}
    return {name: value.tolist() for name, value in flat.items()}


def fill_the_disk(directory: Path, limit: int, answers: Any) -> None:
    """Save step 1, then step 2 with files that may not grow beyond a limit, then step 3 without."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    counter = Counter()
    checkpointer = Checkpointer({"counter": counter}, Contract(directory=str(directory)))
    checkpointer.save(Position(1)) if counter.at(1) else None
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    counter.at(2)
    try:
        checkpointer.save(Position(2))
        words = "saved"
    except RuntimeError as error:
        words = str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    answers.put((words, counter.step(), loaded(Contract(directory=str(directory)))))
