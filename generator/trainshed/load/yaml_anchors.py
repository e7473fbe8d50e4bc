"""`&name` and `*name`: parts of a document that are written once and stand in several places."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from trainshed.load import yaml_notes as notes
from trainshed.load.yaml_limits import MAX_ALIASES, MAX_DEPTH, MAX_EXPANDED_NODES
from trainshed.load.yaml_notes import Notes
from trainshed.model.tree import Path, Spot

Entry: TypeAlias = tuple[Path, tuple[Spot | None, Spot]]
"""A path, and where its key and its value stand."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """A value with `&name`, the length of its path, and which entries are those of its parts."""

    value: Any
    depth: int
    parts: slice


@dataclass(slots=True)
class Anchors:
    """The anchors of one document, and how much has been repeated so far."""

    closed: dict[str, Anchored] = field(default_factory=dict[str, Anchored])
    unfinished: set[str] = field(default_factory=set[str])
    num_aliases: int = 0
    num_expanded: int = 0

    def begin(self, name: str) -> None:
        """The anchored value begins: an alias within it would repeat itself for ever."""
        self.unfinished.add(name)

    def finish(self, name: str, anchored: Anchored) -> None:
        """The anchored value is complete."""
        self.unfinished.discard(name)
        self.closed[name] = anchored

    def repeat(self, name: str, path: Path, spot: Spot, entries: list[Entry], found: Notes) -> Any:
        """A copy of what `name` stands for; its parts are entered again below `path`, at their first places.

        The size is known before anything is copied. Raises EndOfReading where it is beyond the limits.
        """
        self.num_aliases += 1
        if self.num_aliases > MAX_ALIASES:
            raise found.end(notes.MANY_ALIASES, spot)
        if name in self.unfinished:
            return found.lose(notes.ALIAS_WITHIN, spot, name)
        anchored = self.closed.get(name)
        if anchored is None:
            return found.lose(notes.ALIAS_OF_NOTHING, spot, name)
        self.num_expanded += anchored.parts.stop - anchored.parts.start + 1
        if self.num_expanded > MAX_EXPANDED_NODES:
            raise found.end(notes.LARGE_ALIASES, spot)
        parts = [((*path, *part[anchored.depth :]), spots) for part, spots in entries[anchored.parts]]
        if any(len(part) > MAX_DEPTH for part, _ in parts):
            raise found.end(notes.TOO_DEEP, spot)
        entries.extend(parts)
        return deepcopy(anchored.value)
