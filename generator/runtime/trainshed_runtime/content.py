"""What goes into a checkpoint, and out of it again: the state of all parts, whole or in pieces, and of each rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trainshed_runtime import state
from trainshed_runtime.checkpoints import Checkpoint, CheckpointError, File, HashedStream, write_file
from trainshed_runtime.ranks import Ranks
from trainshed_runtime.sharded import INDEX, Pieces, Tensors, load_pieces, local, refill
from trainshed_runtime.state import Stateful
from trainshed_runtime.storage import Storage

STATE = "state.pt"
"""The state that every rank has alike, written by rank 0."""


def own_file(rank: int) -> str:
    """The file with the state of one rank alone."""
    return f"rank-{rank:05}.pt"


class Content:
    """The parts of a run. Every method is collective."""

    def __init__(
        self, parts: Mapping[str, Stateful], own: Stateful | None, ranks: Ranks, *, sharded: bool
    ) -> None:
        parts = {name: state.unwrapped(part) for name, part in parts.items()}
        tensors = Tensors(parts)
        self._tensors = tensors if sharded or tensors.are_sharded() else Tensors({})
        self._parts = {name: part for name, part in parts.items() if name not in self._tensors.names}
        self._own = own
        self._ranks = ranks
        self._checked = False

    def take(self, *, copied: bool) -> Taken:
        """The state now. With `copied` training may go on at once, else when it is written."""
        shared = {name: part.state_dict() for name, part in self._parts.items()}
        own = self._own.state_dict() if self._own else None
        self._check({**shared, "the rank's own": own})
        pieces = Pieces(self._tensors.take(), self._ranks, copied=copied) if self._tensors.names else None
        if copied:
            shared, own = state.snapshot((shared, own))
        return Taken(self._ranks.rank, shared, own, pieces)

    def load(self, storage: Storage, checkpoint: Checkpoint) -> None:
        """Give all parts the state of an undamaged checkpoint."""

        def give() -> None:
            self._give(state.read(storage, f"{checkpoint.name}/{STATE}"))
            name = own_file(self._ranks.rank)
            if self._own and name in checkpoint.files:
                self._own.load_state_dict(state.read(storage, f"{checkpoint.name}/{name}"))

        self._expect(is_sharded=INDEX in checkpoint.files, checkpoint=checkpoint)
        if self._tensors.names:
            tree = self._tensors.take()
            self._ranks.all(lambda: load_pieces(storage, checkpoint, tree, self._ranks))
            self._tensors.give(tree)
        self._ranks.all(give)

    def take_local(self) -> dict[str, Any]:
        """What this rank holds of everything, in the files that the local tier saves."""
        shared = {name: part.state_dict() for name, part in self._parts.items()}
        own = self._own.state_dict() if self._own else None
        self._check({**shared, "the rank's own": own})
        return {STATE: shared, own_file(self._ranks.rank): {"own": own, "held": local(self._tensors.take())}}

    def load_local(self, files: Mapping[str, Any]) -> None:
        """Give all parts what the local tier saved of them."""
        mine = files[own_file(self._ranks.rank)]
        if self._tensors.names:
            tree = self._tensors.take()
            self._ranks.all(lambda: refill(tree, mine["held"]))
            self._tensors.give(tree)
        self._ranks.all(lambda: self._give(files[STATE]))
        if self._own:
            self._own.load_state_dict(mine["own"])

    def _give(self, trees: Mapping[str, Any]) -> None:
        state.give(self._parts, trees)

    def _expect(self, *, is_sharded: bool, checkpoint: Checkpoint) -> None:
        if is_sharded != bool(self._tensors.names):
            was, now = ("in pieces", "whole") if is_sharded else ("whole", "in pieces")
            raise CheckpointError(
                f"{checkpoint.name} holds its tensors {was}, this run wants them {now}: see `sharded`"
            )

    def _check(self, trees: Mapping[str, Any]) -> None:
        """Find out at the first save, and not at the first resume, what could not be loaded."""
        if not self._checked:
            for name, tree in trees.items():
                state.check_plain(name, tree)
            self._checked = True


class Taken:
    """The state of a moment, on its way to storage."""

    def __init__(self, rank: int, shared: Any, own: Any, pieces: Pieces | None) -> None:
        self._rank = rank
        self._shared = shared
        self._own = own
        self._pieces = pieces

    def write(self, storage: Storage, folder: str, ranks: Ranks) -> dict[str, File]:
        """Write every rank's files; what the marker must say about all of them."""
        contents: dict[str, Callable[[HashedStream], object]] = {}
        if self._own is not None:
            contents[own_file(self._rank)] = state.writing(self._own)
        if self._rank == 0:
            contents[STATE] = state.writing(self._shared)
        if self._pieces:
            contents[self._pieces.file] = self._pieces.write
        files = ranks.all(lambda: _write(storage, folder, contents))
        if self._pieces:
            index = self._pieces.index(ranks.all(lambda: self._pieces.written if self._pieces else []))
            files.append(ranks.first(lambda: _write(storage, folder, {INDEX: index})))
        return {name: file for one in files for name, file in one.items()}


def _write(
    storage: Storage, folder: str, contents: Mapping[str, Callable[[HashedStream], object]]
) -> dict[str, File]:
    return {name: write_file(storage, f"{folder}/{name}", write) for name, write in contents.items()}
