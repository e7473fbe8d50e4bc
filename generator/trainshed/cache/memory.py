"""Values of stages, kept by the hash of what they were made from and of the program that made them."""

import hashlib
import io
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from trainshed.cache.store import Store
from trainshed.model.provenance import Sources
from trainshed.model.remember import Question
from trainshed.model.tree import Tree

T = TypeVar("T")


class Memory:
    """A `Remember` upon a store. `program` stands for the code that makes the values, and for Python.

    Values are pickled: the store is private to its user, and tells what is damaged.
    """

    def __init__(self, store: Store, program: str) -> None:
        self._store = store
        self._program = program.encode()

    def __call__(
        self,
        about: str,
        questions: Sequence[Question],
        make: Callable[[list[int]], Iterable[T]],
        around: Sequence[Any] = (),
    ) -> list[T]:
        """A value for each question, those that are not known made in their order."""
        keys = [self._hash(about, question) for question in questions]
        kept = self._store.read_many(keys)
        new = [index for index, key in enumerate(keys) if key not in kept]
        values: list[Any] = [_thaw(kept[key], around) if key in kept else None for key in keys]
        for index, value in zip(new, make(new) if new else (), strict=True):
            values[index] = value
            self._store.write(keys[index], _freeze(value, around))
        return values

    def _hash(self, about: str, question: Question) -> str:
        """The hash of all the words, each behind its length."""
        digest = hashlib.sha256(self._program)
        for word in (about, *question):
            written = word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(written))
            digest.update(written)
        return digest.hexdigest()


def _frozen_map(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """A map that cannot be changed; pickle knows no name of its type."""
    return MappingProxyType(content)


class Asleep(Mapping[Any, Any]):
    """A map that is read when somebody first looks into it: most places of words in files are never asked for."""

    __slots__ = ("_content", "_kept")

    def __init__(self, kept: bytes) -> None:
        self._kept = kept
        self._content: Mapping[Any, Any] | None = None

    def _awake(self) -> Mapping[Any, Any]:
        content = self._content
        if content is None:
            content = self._content = pickle.loads(self._kept)  # noqa: S301 - our own
        return content

    def __getitem__(self, key: Any) -> Any:
        return self._awake()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._awake())

    def __len__(self) -> int:
        return len(self._awake())

    def __reduce__(self) -> tuple[type["Asleep"], tuple[bytes]]:
        return Asleep, (self._kept,)


def _sleep(content: Mapping[Any, Any]) -> Asleep:
    return content if isinstance(content, Asleep) else Asleep(_freeze(content, ()))


_SHORTER: Mapping[type, Callable[[Any], tuple[Any, ...]]] = {
    MappingProxyType: lambda mapping: (_frozen_map, (dict(mapping),)),
    Sources: lambda said: (Sources, (said.whole, *map(_sleep, (said.fields, said.layers, said.values)))),
    Tree: lambda tree: (Tree, (tree.data, _sleep(tree.marks))),
}
"""What pickle cannot write, or would read in full."""


class _Around(threading.local):
    """What stands around the value that a thread is reading."""

    values: Sequence[Any] = ()


_AROUND = _Around()


def _stand_in(place: int) -> Any:
    """Written in place of what stands around, and what that is now where it is read."""
    return _AROUND.values[place]


class _Freezer(pickle.Pickler):
    """Writes values without what stands around them, which is known by its place among the things around."""

    def __init__(self, file: io.BytesIO, around: Sequence[Any]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._places = {id(value): place for place, value in enumerate(around)}

    def reducer_override(self, obj: Any) -> Any:
        """How pickle writes what it has no sign of its own for."""
        if id(obj) in self._places:
            return _stand_in, (self._places[id(obj)],)
        shorter = _SHORTER.get(type(obj))
        return NotImplemented if shorter is None else shorter(obj)


def _freeze(value: Any, around: Sequence[Any]) -> bytes:
    file = io.BytesIO()
    _Freezer(file, around).dump(value)
    return file.getvalue()


def _thaw(kept: bytes, around: Sequence[Any]) -> Any:
    """The value, among the same things."""
    _AROUND.values = around
    try:
        return pickle.loads(kept)  # noqa: S301 - our own
    finally:
        _AROUND.values = ()
