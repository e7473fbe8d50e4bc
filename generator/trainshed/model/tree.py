"""A spec file as plain data, with the place in the file of every key and value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from msgspec import Struct

from trainshed.model.manifest import JsonObject
from trainshed.model.source import Source

Path: TypeAlias = tuple[str | int, ...]
Spot: TypeAlias = tuple[int, int, int]


class Mark(Struct, frozen=True):
    """Where a value stands, and the key before it; an item of a list and the whole document have no key."""

    key: Source | None
    value: Source


@dataclass(frozen=True, slots=True, eq=False)
class Marks(Mapping[Path, Mark]):
    """The marks of one file, kept as bare numbers (line, column, width; key before value) until asked for."""

    file: PurePosixPath
    spots: Mapping[Path, tuple[Spot | None, Spot]]

    def __getitem__(self, path: Path) -> Mark:
        key, value = self.spots[path]
        return Mark(Source(self.file, *key) if key else None, Source(self.file, *value))

    def __iter__(self) -> Iterator[Path]:
        return iter(self.spots)

    def __len__(self) -> int:
        return len(self.spots)


class Tree(Struct, frozen=True):
    """One document. A path leads from the top through keys and list positions; `()` is the whole.

    `marks` holds a mark for `()` and for every value below it.
    """

    data: JsonObject
    marks: Mapping[Path, Mark]

    @property
    def kind(self) -> str | None:
        """The document's `kind`, if it states one as text."""
        kind = self.data.get("kind")
        return kind if isinstance(kind, str) else None

    def value_source(self, path: Path) -> Source:
        """Where the value at `path` stands; for what nobody wrote, the nearest value around it."""
        return self._nearest(path).value

    def key_source(self, path: Path) -> Source:
        """Where the key of `path` stands; for what nobody wrote, the nearest key (or list item) around it."""
        mark = self._nearest(path)
        return mark.key or mark.value

    def _nearest(self, path: Path) -> Mark:
        """The mark of the longest beginning of `path` that stands in the file."""
        beginnings = (path[:length] for length in range(len(path), 0, -1))
        return self.marks[next((path for path in beginnings if path in self.marks), ())]
