"""Layers of defaults laid over one another: maps merge, lists replace, null removes; every value keeps its line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trainshed.model.provenance import FieldPath, Sources
from trainshed.model.source import Source
from trainshed.model.tree import Tree

EXCLUSIVE: Mapping[FieldPath, frozenset[str]] = {
    ("run",): frozenset({"script", "module", "command", "entrypoint"}),
    ("checkpoint", "every"): frozenset({"time", "steps"}),
}
"""Fields of which one is meant: a layer that writes one of them takes the others of the layers below away."""


BY_KEY = frozenset({("labels",), ("annotations",)})
"""Maps whose keys are what can still be wrong: load has checked their values."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One set of wishes and whose it is: `words` reads as "the defaults of team x", `at` leads to it in its file."""

    words: str
    tree: Tree
    at: FieldPath = ()

    @property
    def data(self) -> Mapping[str, Any]:
        """The wishes; nothing where the file says nothing."""
        here: Any = self.tree.data
        for step in self.at:
            here = here.get(step) if isinstance(here, dict) else None
        return here if isinstance(here, dict) else {}

    def source(self, path: FieldPath, value: Any) -> Source:
        """The word to point at: the value itself, or the key of a map or list, or of a label."""
        full = (*self.at, *path)
        by_key = isinstance(value, dict | list) or path[:1] in BY_KEY
        return self.tree.key_source(full) if by_key else self.tree.value_source(full)


@dataclass(frozen=True, slots=True)
class Merged:
    """Plain data with the line and the layer of each value."""

    data: Mapping[str, Any]
    sources: Sources


def merge_layers(layers: Iterable[Layer], whole: Source) -> Merged:
    """The layers laid over one another, the last on top. `whole` stands for what nobody wrote."""
    pile = _Pile({}, {}, {}, {})
    for layer in layers:
        pile.lay(layer)
    return Merged(pile.data, Sources(whole, pile.fields, pile.words, pile.values))


@dataclass(frozen=True, slots=True)
class _Pile:
    data: dict[str, Any]
    fields: dict[FieldPath, Source]
    words: dict[FieldPath, str]
    values: dict[FieldPath, Any]

    def lay(self, layer: Layer) -> None:
        self._lay_map(self.data, layer.data, (), layer)

    def _lay_map(
        self, below: dict[str, Any], above: Mapping[str, Any], path: FieldPath, layer: Layer
    ) -> None:
        for rival in self._rivals(above, path) & below.keys():
            del below[rival]
            self._forget((*path, rival))
        for key, value in above.items():
            here = (*path, key)
            if value is None:
                below.pop(key, None)
                self._forget(here)
            elif isinstance(value, dict):
                if not isinstance(below.get(key), dict):
                    self._forget(here)
                    below[key] = {}
                self._note(here, value, layer)
                self._lay_map(below[key], value, here, layer)
            else:
                self._forget(here)
                below[key] = value
                self._note(here, value, layer)
                self._note_items(here, value, layer)

    @staticmethod
    def _rivals(above: Mapping[str, Any], path: FieldPath) -> frozenset[str]:
        group = EXCLUSIVE.get(path, frozenset())
        written = {key for key in group if above.get(key) is not None}
        return group - written if written else frozenset()

    def _note(self, path: FieldPath, value: Any, layer: Layer) -> None:
        self.fields[path] = layer.source(path, value)
        self.words[path] = layer.words
        if not isinstance(value, dict):
            self.values[path] = value

    def _note_items(self, path: FieldPath, value: Any, layer: Layer) -> None:
        """What stands inside a list is merged with nothing, and keeps its lines all the same."""
        steps = (
            enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
        )
        for step, item in steps:
            self._note((*path, step), item, layer)
            self._note_items((*path, step), item, layer)

    def _forget(self, path: FieldPath) -> None:
        if path in self.fields:
            for stale in [known for known in self.fields if known[: len(path)] == path]:
                del self.fields[stale]
                del self.words[stale]
                self.values.pop(stale, None)
