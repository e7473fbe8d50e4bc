"""The run: what a training loop wraps itself in to survive."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import torch

from trainshed_runtime.checkpointer import Checkpointer, Stateful
from trainshed_runtime.checkpoints import CheckpointError, Position
from trainshed_runtime.contract import Contract
from trainshed_runtime.progress import Progress
from trainshed_runtime.random_state import RandomState
from trainshed_runtime.sampler import ElasticSampler, Place
from trainshed_runtime.say import say
from trainshed_runtime.stop import LEFT, STOP_FILE, Agreement, Order, StopSignal

Batch = TypeVar("Batch")

_MOST_FAILED_SAVES = 3
"""In a row. Then the run fails, rather than train on what would be lost."""


class Run:
    """A training that resumes where it was, saves when it is due and leaves when it is told to.

        run = Run(model=model, optimizer=optimizer)
        for epoch in run.epochs(20):
            for batch in run.batches(loader):
                ...
                run.step(loss=loss)

    Every keyword is a part of the state. With an `ElasticSampler` the number of ranks may change, and the loader is
    iterated itself: it begins inside the epoch. `with Run(…) as run:` around the loop also tells who watches when the
    loop fails, and finishes a run that breaks off its last epoch.

    The run begins with `with` or with the first epoch: it takes the newest complete checkpoint on, or raises
    `SystemExit(0)` where it has finished already. After the last epoch it saves, and is marked as finished.
    All of it is collective: every rank does it, and makes as many steps.
    """

    def __init__(
        self,
        *,
        sampler: ElasticSampler | None = None,
        sharded: bool = False,
        contract: Contract | None = None,
        **parts: Stateful,
    ) -> None:
        self.contract = contract or Contract.read()
        self.position = Position(0)
        """Optimizer steps done, and the epoch that runs."""
        self._sampler = sampler
        self._sharded = sharded
        self._parts = dict(parts)
        self._place = Place()
        self._parts["place"] = self._place
        if sampler is not None:
            self._parts["sampler"] = sampler
        self._random = RandomState()
        self._begun = False
        self._in_epochs = False
        self._batches_in_epoch: int | None = None
        self._drawn: int | None = None
        """Batches since the last step, where `batches` gives them."""
        self._loss: torch.Tensor | float | None = None
        self._failed_saves = 0

    def __enter__(self) -> Run:
        rank, self._world_size = _rank_and_world()
        self._progress = Progress(self.contract.progress, rank)
        self._stop = StopSignal(self.contract.grace_seconds, self._stop_files(), last_words=self._last_words)
        self._stop.install()
        self._note("starting")
        with suppress(AttributeError, ValueError, OSError):  # where stderr is no file, as in a notebook
            faulthandler.register(signal.SIGUSR1, all_threads=True)
        self._agreement = Agreement()
        self._checkpointer = Checkpointer(self._parts, self.contract, own=self._random, sharded=self._sharded)
        if self._checkpointer.finished:
            self._note("finished")
            self._say("this run has finished already")
            raise SystemExit(0)
        self._resume()
        self._obey(self._agreement.highest(self._stop.order()))
        self._begun = True
        return self

    def epochs(self, num_epochs: int) -> Iterator[int]:
        """The epochs that are left, from the one that the run resumed in.

        What is due at the last step of an epoch is done when the epoch is over: a run never resumes with no batch left.
        """
        outside = self._begun
        if not outside:
            self.__enter__()
        for epoch in range(self.position.epoch, num_epochs):
            self._begin(epoch)
            self._in_epochs = True
            self._random.begin_epoch(resumed=self._place.batches > 0)
            yield epoch
            self._in_epochs = False
            self._begin(epoch + 1)
            self._save_or_leave()
        if not outside:
            self.__exit__(None, None, None)

    def batches(self, loader: Iterable[Batch]) -> Iterator[Batch]:
        """The batches of the epoch that the run has not trained on yet, from a loader that gives all of them.

        Those before are drawn and passed over. A loader of the run's `ElasticSampler` passes them over itself.
        """
        begun = iter(loader)
        self._batches_in_epoch = len(loader) if isinstance(loader, Sized) else None
        if self._sampler is None or getattr(loader, "batch_sampler", None) is not self._sampler:
            for _ in islice(begun, self._place.batches):
                pass
            self._random.restore()
        self._drawn = 0
        for batch in begun:
            self._drawn += 1
            yield batch

    def step(self, *, loss: torch.Tensor | float | None = None, batches: int = 1) -> None:
        """One optimizer step is done. Saves when it is due; raises `SystemExit(143)` where a rank was told to stop.

        The last step of an epoch leaves both to `epochs`.

        Args:
            loss: by what the best checkpoints are told, smaller being better. It is looked at when a save is due only.
            batches: how many it was made of, where gradients are accumulated; those of `batches` are counted there.

        """
        self.position = Position(self.position.step + 1, self.position.epoch)
        if self._drawn is not None:
            batches, self._drawn = self._drawn, 0
        self._place.batches += batches
        if self._sampler is not None:
            for _ in range(batches):
                self._sampler.advance()
        self._loss = loss
        self._note("training")
        if not (self._in_epochs and self._is_last_of_epoch()):
            self._save_or_leave()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._finish()
        elif not (isinstance(error, SystemExit) and error.code == LEFT):
            self._note("failed", code=_exit_code(error))
        self._stop.uninstall()

    def _is_last_of_epoch(self) -> bool:
        """Whether no batch of the epoch is left, as far as that can be known."""
        if self._sampler is not None:
            return self._sampler.is_exhausted
        return self._batches_in_epoch is not None and self._place.batches >= self._batches_in_epoch

    def _save_or_leave(self) -> None:
        """Whatever the contract, or any rank, asks for between two steps."""
        order = self._agreement.highest(max(self._stop.order(), self._due()))
        if order is Order.SAVE:
            self._note("saving")
            self._save_or_go_on()
            order = self._agreement.highest(self._stop.order())
        self._obey(order)

    def _begin(self, epoch: int) -> None:
        if epoch != self.position.epoch:
            self._place.batches = 0
        self.position = Position(self.position.step, epoch)
        if self._sampler is not None:
            self._sampler.set_epoch(epoch)

    def _resume(self) -> None:
        position = self._checkpointer.load()
        if position is None:
            return
        self.position = position
        if self._sampler is not None and self._place.batches:
            self._sampler.before_first(self._random.restore)
        self._progress.event("resumed", position.step, world=self._world_size)
        self._say(f"resumed at step {position.step}, epoch {position.epoch}")

    def _due(self) -> Order:
        """Whether rank 0 finds that a save is due; the clocks of the others do not count."""
        due = self._progress.rank == 0 and self._checkpointer.is_due(self.position)
        return Order.SAVE if due else Order.GO

    def _save(self, *, urgent: bool = False) -> None:
        started = time.monotonic()
        metric = float(self._loss.detach()) if isinstance(self._loss, torch.Tensor) else self._loss
        self._checkpointer.save(self.position, metric=metric, urgent=urgent)
        self._tell_saved(started)

    def _tell_saved(self, started: float) -> None:
        self._progress.event("saved", self.position.step, seconds=round(time.monotonic() - started, 6))

    def _save_or_go_on(self) -> None:
        """Save; a full disk may have room again the next time, and older checkpoints are as they were."""
        try:
            self._save()
        except CheckpointError as error:
            self._failed_saves += 1
            if self._failed_saves == _MOST_FAILED_SAVES:
                raise
            self._say(f"{error}; training goes on")
        else:
            self._failed_saves = 0

    def _obey(self, order: Order) -> None:
        """Save what is not saved yet and leave, if that is the order: all ranks together, and in time."""
        if order < Order.RESTART:
            return
        self._stop.obey(order)
        self._note("leaving")
        try:
            if self.position.step:
                self._save(urgent=True)
            self._checkpointer.wait()
            self._agreement.highest(order)
        except (
            Exception
        ) as error:  # whatever went wrong, the older checkpoint stays, and this process was told to go
            say(f"rank {self._progress.rank} could not save at step {self.position.step}: {error}")
        self._last_words(order)
        self._stop.wait_for_torchrun()
        raise SystemExit(LEFT)

    def _last_words(self, order: Order) -> None:
        step = self.position.step
        self._progress.event("left" if order is Order.STOP else "restarted", step, world=self._world_size)
        self._note("left" if order is Order.STOP else "restarting")
        self._say(f"told to {'stop' if order is Order.STOP else 'restart'}: leaving at step {step}")

    def _finish(self) -> None:
        self._note("saving")
        started = time.monotonic()
        self._checkpointer.finish(self.position)
        if self._checkpointer.writer is not None:
            self._tell_saved(started)
        self._progress.event("finished", self.position.step, world=self._world_size)
        self._note("finished")

    def _stop_files(self) -> tuple[Path, ...]:
        files = [Path(self.contract.progress) / STOP_FILE] if self.contract.progress else []
        return (*files, *([Path(self.contract.notice)] if self.contract.notice else []))

    def _note(self, doing: str, code: int = 0) -> None:
        self._progress.note(doing, self.position.step, self.position.epoch, code)

    def _say(self, words: str) -> None:
        if self._progress.rank == 0:
            say(words)


def _rank_and_world() -> tuple[int, int]:
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), 1


def _exit_code(error: BaseException | None) -> int:
    """With what Python will leave because of the error."""
    if not isinstance(error, SystemExit):
        return 1
    if error.code is None:
        return 0
    return error.code if isinstance(error.code, int) else 1
