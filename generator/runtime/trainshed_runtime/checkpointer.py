"""Saves and loads the state of a run, on all ranks together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

from trainshed_runtime import lineage
from trainshed_runtime.checkpoints import (
    Checkpoint,
    CheckpointError,
    Position,
    damage,
    find,
    is_finished,
    mark_finished,
    publish,
    remove,
)
from trainshed_runtime.content import Content, Taken
from trainshed_runtime.contract import Contract
from trainshed_runtime.fence import Fence, Superseded, Writer, last_seen
from trainshed_runtime.ranks import Ranks
from trainshed_runtime.retention import clean
from trainshed_runtime.rhythm import Rhythm
from trainshed_runtime.say import say
from trainshed_runtime.state import Stateful
from trainshed_runtime.storage import Storage, open_storage
from trainshed_runtime.tier import LocalTier

__all__ = ["Checkpointer", "Stateful"]


class Checkpointer:
    """The checkpoints of a run. Every method is collective: all ranks call it, in the same order.

    `parts` are saved by rank 0, or in pieces by all ranks where `sharded` says so or FSDP has left them so. `own` is
    the state of this rank alone. Without a directory in the contract nothing is saved and nothing found.

    Raises:
        Superseded: a later attempt of this run has started.
        CheckpointError: the directory cannot be used.

    """

    def __init__(
        self,
        parts: Mapping[str, Stateful],
        contract: Contract,
        *,
        own: Stateful | None = None,
        sharded: bool = False,
    ) -> None:
        self.finished = False
        self.writer: Writer | None = None
        self._contract = contract
        self._durations: deque[float] = deque([0.0], maxlen=5)
        self._rhythm = Rhythm(contract.every_steps, contract.every_seconds)
        self._local_rhythm = Rhythm(contract.local_every_steps, contract.local_every_seconds)
        self._pending: Future[None] | None = None
        self._saved: int | None = None
        """The step that the directory holds, or will hold unless the save in the background fails."""
        if contract.directory is None:
            return
        self._ranks = Ranks()
        self._ranks.all(self._open)
        self.finished = self._ranks.first(lambda: is_finished(self._storage, contract))
        if self.finished:
            return
        self.writer = self._ranks.first(lambda: Fence.claim(self._storage, contract).writer)
        self._fence = Fence(self._storage, self.writer)
        self._content = Content(parts, own, self._ranks, sharded=sharded)
        self._behind, self._thread = Ranks(), ThreadPoolExecutor(1, "trainshed-save")
        self._local = LocalTier(contract.local_dir, self._ranks) if contract.local_dir else None
        self._found = self._find()

    @property
    def save_seconds(self) -> float:
        """How long a save to the directory takes: the longest of the last five. 0 before the first."""
        return max(self._durations)

    def is_due(self, position: Position) -> bool:
        """Whether the contract wants a save now, of either tier. By this rank's clock: not collective."""
        if self.writer is None:
            return False
        return self._rhythm.is_due(position.step) or (
            self._local is not None and self._local_rhythm.is_due(position.step)
        )

    def load(self) -> Position | None:
        """Take on the newest complete and undamaged checkpoint, the same on all ranks; nothing if there is none.

        The run's own come first, then those of the run or lineage that the contract names.

        Raises:
            CheckpointError: there are checkpoints, and none of them can be used.

        """
        if self.writer is None:
            return None
        position = self._load_newest(self._storage, self._found)
        if position is None and self._contract.resume == "from":
            position = self._load_from_other()
        for rhythm in (self._rhythm, self._local_rhythm):
            rhythm.start_at(position.step if position else 0)
        return position

    def save(self, position: Position, *, metric: float | None = None, urgent: bool = False) -> None:
        """Save the state, in the background if the contract says so. `metric` is better the smaller it is.

        With a local tier it goes there, and to the directory too when that is due. What is `urgent` goes to the
        directory and is complete on return.

        Raises:
            Superseded: there is a newer writer.
            CheckpointError: this save failed, or the one before, in the background. Older checkpoints are as they were.

        """
        if self.writer is None:
            return
        if urgent:
            self._settle(urgent=True)
        if self._saved == position.step:
            return
        checkpoint = Checkpoint(
            position, self.writer, self._contract.identity, self._ranks.world_size, metric
        )
        if self._local and not urgent:
            self._save_locally(self._local, checkpoint)
            if not self._ranks.first(lambda: self._is_upload_due(position)):
                return
        self._settle(urgent=False)
        self._ranks.first(self._fence.check)
        started = time.monotonic()
        in_background = (self._contract.in_background or self._local is not None) and not urgent
        taken = self._content.take(copied=in_background)
        self._rhythm.start_at(position.step)
        if in_background:
            self._pending = self._thread.submit(self._write, checkpoint, taken, self._behind, started)
        else:
            self._write(checkpoint, taken, self._ranks, started)
        self._saved = position.step

    def _save_locally(self, tier: LocalTier, checkpoint: Checkpoint) -> None:
        """Save to the node. Where that fails, the directory still has the run's checkpoints: training goes on."""
        try:
            tier.save(checkpoint, self._content.take_local())
        except CheckpointError as error:
            say(f"step {checkpoint.position.step} is not saved on the node: {error}")
        self._local_rhythm.start_at(checkpoint.position.step)

    def wait(self) -> None:
        """Return when what is being saved is complete.

        Raises:
            Superseded, CheckpointError: the save in the background failed.

        """
        pending, self._pending = self._pending, None
        if pending:
            try:
                pending.result()
            except (CheckpointError, Superseded):
                self._saved = None
                raise

    def finish(self, position: Position) -> None:
        """Save the last state and leave the completion marker: started again, the run ends at once."""
        if self.writer is None:
            return
        writer = self.writer
        self.save(position, urgent=True)

        def mark() -> None:
            self._fence.check()
            mark_finished(self._storage, position, writer, self._contract)

        self._ranks.first(mark)
        self.finished = True

    def _settle(self, *, urgent: bool) -> None:
        """Wait for the save before. Its failure must not keep an urgent one from being tried."""
        try:
            self.wait()
        except CheckpointError as error:
            if not urgent:
                raise
            say(str(error))

    def _write(self, checkpoint: Checkpoint, taken: Taken, ranks: Ranks, started: float) -> None:
        """Write, complete and publish a checkpoint; then remove what need not be kept."""
        try:
            files = taken.write(self._storage, checkpoint.name, ranks)
            ranks.first(lambda: self._complete(replace(checkpoint, files=files), time.monotonic() - started))
        except CheckpointError as error:
            if ranks.rank == 0:
                with suppress(Exception):
                    remove(self._storage, checkpoint.name)
            raise CheckpointError(
                f"step {checkpoint.position.step} is not saved: {error}; older checkpoints are as they were"
            ) from error
        self._durations.append(time.monotonic() - started)

    def _complete(self, checkpoint: Checkpoint, seconds: float) -> None:
        try:
            self._fence.check()
        except Superseded:
            remove(self._storage, checkpoint.name)
            raise
        publish(self._storage, replace(checkpoint, seconds=round(seconds, 3)))
        try:
            clean(self._storage, self._fence, self._contract.keep_last, self._contract.keep_best)
        except OSError as error:
            say(f"older checkpoints could not be removed: {error}")

    def _is_upload_due(self, position: Position) -> bool:
        is_idle = self._pending is None or self._pending.done()
        has_rhythm = self._contract.every_steps or self._contract.every_seconds
        return is_idle and (not has_rhythm or self._rhythm.is_due(position.step))

    def _open(self) -> None:
        self._storage = open_storage(self._contract.directory or "")

    def _find(self) -> list[tuple[bool, Checkpoint]]:
        """What can be resumed from, newest first, each with whether it is local; from now on nothing else counts."""
        local = self._local.find() if self._local else []

        def settle() -> list[tuple[bool, Checkpoint]]:
            remote = find(self._storage)
            for complaint in remote.complaints:
                say(complaint)
            counting = last_seen(self._storage)
            here = [one for one in local if counting.counts(one.name, one.writer.incarnation)]
            self._fence.record({one.name for one in [*remote.complete, *here]})
            both = [*((True, one) for one in here), *((False, one) for one in remote.complete)]
            return sorted(both, key=lambda pair: (pair[1].age, pair[0]), reverse=True)

        return self._ranks.first(settle)

    def _load_newest(self, storage: Storage, found: list[tuple[bool, Checkpoint]]) -> Position | None:
        """Load the first that is undamaged; nothing if there are none at all."""
        if self._contract.resume == "never" and storage is self._storage:
            found = [pair for pair in found if self._is_own(pair[1])]
        for is_local, checkpoint in found:
            if is_local and self._local:
                self._content.load_local(self._local.read(checkpoint))
                return checkpoint.position
            if self._is_whole(storage, checkpoint):
                self._content.load(storage, checkpoint)
                self._saved = checkpoint.position.step
                return checkpoint.position
        if found:
            raise CheckpointError(
                f"none of the {len(found)} checkpoints in {storage.address} can be used: mend the storage, or "
                "begin anew with resume: never"
            )
        return None

    def _load_from_other(self) -> Position:
        """Start from the newest checkpoint of the run or lineage that the contract names."""
        other = lineage.source(self._contract)
        position = self._load_newest(
            other, [(False, one) for one in self._ranks.first(lambda: find(other).complete)]
        )
        self._saved = None
        if position is None:
            raise CheckpointError(
                f"resume: {self._contract.resume_from}: {other.address} holds no complete checkpoint"
            )
        return position

    def _is_own(self, checkpoint: Checkpoint) -> bool:
        """Whether this very attempt of the run has saved it, in an earlier start."""
        same_run = checkpoint.run == self._contract.identity and bool(checkpoint.run)
        return same_run and checkpoint.writer.attempt == self._contract.attempt

    def _is_whole(self, storage: Storage, checkpoint: Checkpoint) -> bool:
        """Whether all files are as the marker says. The ranks share the work."""
        share = sorted(checkpoint.files)[self._ranks.rank :: self._ranks.world_size]
        wrong = list(filter(None, self._ranks.all(lambda: damage(storage, checkpoint, share))))
        if wrong and self._ranks.rank == 0:
            say(
                f"checkpoint {checkpoint.name} is damaged ({'; '.join(wrong[:3])}): going back to the one before"
            )
        return not wrong
