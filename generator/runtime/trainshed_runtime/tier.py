"""The fast tier on the node: every rank's own state in a local folder, between the saves to the run's directory.

It is gone with the node, so it never counts alone: a checkpoint of it is used if every node still has its part,
undamaged, and the ranks are on the nodes where they were. Its writer is the one that has claimed the directory, which
orders the checkpoints of both tiers.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from trainshed_runtime import state
from trainshed_runtime.checkpoints import (
    Checkpoint,
    CheckpointError,
    File,
    damage,
    find,
    publish,
    remove,
    write_file,
    writer_of,
)
from trainshed_runtime.content import STATE, own_file
from trainshed_runtime.ranks import Ranks
from trainshed_runtime.say import say
from trainshed_runtime.storage import Folder

_KEPT = 2
"""Checkpoints in the local folder between two saves; while one is written there is one more."""


class LocalTier:
    """The local folders of all nodes. Every method is collective."""

    def __init__(self, folder: str, ranks: Ranks) -> None:
        self._storage = Folder(folder)
        self._ranks = ranks
        os.makedirs(folder, exist_ok=True)
        place = os.stat(folder)
        places = ranks.all(lambda: (socket.gethostname(), place.st_dev, place.st_ino))
        self._node = [rank for rank, where in enumerate(places) if where == places[ranks.rank]]
        """The ranks that share this rank's folder."""

    def save(self, checkpoint: Checkpoint, files: Mapping[str, Any]) -> None:
        """Save what this rank holds. Of files that all ranks have alike, the first rank of a node writes its own.

        Raises:
            CheckpointError: it failed on some node; what was written of it is removed.

        """
        try:
            written = self._ranks.all(lambda: self._write(checkpoint.name, files))
            self._ranks.all(lambda: self._complete(checkpoint, written))
        except CheckpointError:
            with suppress(OSError):
                remove(self._storage, checkpoint.name)
            raise

    def _write(self, folder: str, files: Mapping[str, Any]) -> dict[str, File]:
        mine = [name for name in files if name == own_file(self._ranks.rank) or self._is_first]
        return {
            name: write_file(self._storage, f"{folder}/{name}", state.writing(files[name])) for name in mine
        }

    def _complete(self, checkpoint: Checkpoint, written: Sequence[Mapping[str, File]]) -> None:
        """Publish what all ranks of this node have written, and clear away what is older."""
        if not self._is_first:
            return
        files = {name: file for rank in self._node for name, file in written[rank].items()}
        publish(self._storage, replace(checkpoint, files=files))
        kept = {one.name for one in find(self._storage).complete[:_KEPT]}
        for name in self._storage.names():
            if writer_of(name) and name not in kept:
                remove(self._storage, name)

    @property
    def _is_first(self) -> bool:
        return self._ranks.rank == self._node[0]

    def find(self) -> list[Checkpoint]:
        """The checkpoints of which every node has its part, undamaged, newest first."""

        def whole() -> dict[str, Checkpoint]:
            found = find(self._storage)
            for complaint in found.complaints:
                say(f"local: {complaint}")
            return {one.name: one for one in found.complete if self._is_usable(one)}

        nodes: list[Mapping[str, Checkpoint]] = self._ranks.all(whole)
        everywhere = set.intersection(*(set(node) for node in nodes))
        return sorted((nodes[0][name] for name in everywhere), key=lambda one: one.age, reverse=True)

    def read(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """The files that this rank needs."""
        files: dict[str, Any] = {}

        def fill() -> None:
            for name in (STATE, own_file(self._ranks.rank)):
                files[name] = state.read(self._storage, f"{checkpoint.name}/{name}")

        self._ranks.all(fill)
        return files

    def _is_usable(self, checkpoint: Checkpoint) -> bool:
        own = self._own_files()
        if checkpoint.world_size != self._ranks.world_size or not own <= checkpoint.files.keys():
            return False
        # The ranks of a node share the work: each looks at its own file, the first at the rest.
        mine = {own_file(self._ranks.rank)}
        rest = checkpoint.files.keys() - own if self._is_first else set[str]()
        wrong = damage(self._storage, checkpoint, sorted(mine | rest))
        if wrong:
            say(f"local checkpoint {checkpoint.name} is damaged ({wrong})")
        return wrong is None

    def _own_files(self) -> set[str]:
        return {own_file(rank) for rank in self._node}
