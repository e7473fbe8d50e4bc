"""The structural merge of patches.

Maps merge, null removes, everything else replaces, lists included. Three words say otherwise of what they stand in for:
`$append: [...]` adds to a list, `$replace: ...` puts a map in the place of another, and `$byKey: name` reads a list as
a map by that field of its items: an item merges with the one of its name, null removes it, and a new name is appended.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from trainshed.model.manifest import JsonObject, escape_pointer
from trainshed.model.provenance import FieldPath

APPEND, REPLACE, BY_KEY = "$append", "$replace", "$byKey"
_ABSENT = object()


class PatchError(Exception):
    """Why a patch cannot be made: where its words stand, what is wrong, what to do."""

    def __init__(self, at: FieldPath, summary: str, detail: str) -> None:
        super().__init__(summary)
        self.at = at
        self.summary = summary
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Touch:
    """A place of the object that a patch has written, and the place in the patch that says so."""

    pointer: str
    at: FieldPath


def merge(below: JsonObject, above: Mapping[str, Any], pointer: str) -> tuple[JsonObject, list[Touch]]:
    """The object with the patch laid over it, and what was touched. Raises PatchError."""
    work = _Merge()
    return work.lay_map(below, above, pointer, ()), work.touched


@dataclass(frozen=True, slots=True)
class _Merge:
    touched: list[Touch] = field(default_factory=list[Touch])

    def lay(self, below: Any, above: Any, pointer: str, at: FieldPath) -> Any:
        """What stands at a place once the patch is laid over it."""
        if isinstance(above, dict):
            word = _word(above, at)
            if word is not None:
                return _WORDS[word](self, below, above, pointer, at)
            if isinstance(below, list):
                raise PatchError(
                    at,
                    f"a list stands at {pointer}, and a map is written",
                    f"write a list to replace it, {{{APPEND}: […]}}, or {{{BY_KEY}: name, …}}",
                )
            if isinstance(below, dict):
                return self.lay_map(below, above, pointer, at)
            return self.lay_map({}, above, pointer, at) if above else self.put(above, pointer, at)
        return self.put(above, pointer, at)

    def lay_map(
        self, below: Mapping[str, Any], above: Mapping[str, Any], pointer: str, at: FieldPath
    ) -> JsonObject:
        merged = dict(below)
        for key, value in sorted(above.items()):
            here, place = (*at, key), f"{pointer}/{escape_pointer(key)}"
            if value is None:
                if merged.pop(key, _ABSENT) is _ABSENT:
                    raise PatchError(here, f"there is no {place} to remove", "leave it out")
                self.touched.append(Touch(place, here))
            else:
                merged[key] = self.lay(merged.get(key, _ABSENT), value, place, here)
        return merged

    def put(self, value: Any, pointer: str, at: FieldPath) -> Any:
        """A value as it stands: nothing in it may still have to be merged."""
        _check_plain(value, at)
        self.touched.append(Touch(pointer, at))
        return deepcopy(value)

    def append(self, below: Any, above: JsonObject, pointer: str, at: FieldPath) -> list[Any]:
        items = above[APPEND]
        if not isinstance(items, list) or not items:
            raise PatchError(
                (*at, APPEND), f"{APPEND} takes a list of what is added", f"write {APPEND}: [...]"
            )
        known = self._list(below, pointer, at)
        added = [
            self.put(item, f"{pointer}/{len(known) + index}", (*at, APPEND, index))
            for index, item in enumerate(items)
        ]
        return [*known, *added]

    def replace(self, _below: Any, above: JsonObject, pointer: str, at: FieldPath) -> Any:
        if above[REPLACE] is None:
            raise PatchError((*at, REPLACE), f"{REPLACE} says nothing", "write null alone to remove")
        return self.put(above[REPLACE], pointer, (*at, REPLACE))

    def by_key(self, below: Any, above: JsonObject, pointer: str, at: FieldPath) -> list[Any]:
        key = above[BY_KEY]
        if not isinstance(key, str):
            raise PatchError((*at, BY_KEY), f"{BY_KEY} takes the name of a field", f"write {BY_KEY}: name")
        items = self._list(below, pointer, at)
        if not all(isinstance(item, dict) and key in item for item in items):
            raise PatchError((*at, BY_KEY), f"not every item of {pointer} has {key}", "use json6902")
        for name, value in sorted((name, value) for name, value in above.items() if name != BY_KEY):
            here = (*at, name)
            index = next((i for i, item in enumerate(items) if str(item[key]) == name), None)
            if value is None and index is None:
                raise PatchError(here, f'{pointer} has no item "{name}" to remove', "leave it out")
            if value is None:
                items = [item for i, item in enumerate(items) if i != index]
                self.touched.append(Touch(pointer, here))
            elif index is None:
                items = [*items, self.lay({key: name}, value, f"{pointer}/{len(items)}", here)]
            else:
                items[index] = self.lay(items[index], value, f"{pointer}/{index}", here)
        return items

    @staticmethod
    def _list(below: Any, pointer: str, at: FieldPath) -> list[Any]:
        if below is _ABSENT:
            return []
        if not isinstance(below, list):
            raise PatchError(at, f"no list stands at {pointer}", f"write {REPLACE} to put one there")
        return list(below)


_Word: TypeAlias = Callable[[_Merge, Any, JsonObject, str, FieldPath], Any]
_WORDS: Mapping[str, _Word] = {APPEND: _Merge.append, REPLACE: _Merge.replace, BY_KEY: _Merge.by_key}


def _word(above: JsonObject, at: FieldPath) -> str | None:
    """The word that a map of the patch is led by, if any. Only $byKey has other keys beside it."""
    words = [key for key in above if key.startswith("$")]
    unknown = next((word for word in words if word not in _WORDS), None)
    if unknown is not None:
        raise PatchError((*at, unknown), f'"{unknown}" means nothing', f"there are {', '.join(_WORDS)}")
    if len(words) > 1 or (words and words[0] != BY_KEY and len(above) > 1):
        raise PatchError((*at, words[-1]), f"{words[-1]} stands alone in its map", "write two patches")
    return words[0] if words else None


def _check_plain(value: Any, at: FieldPath) -> None:
    """Refuses nulls, which the API server would drop or refuse, and words that would only be copied."""
    if value is None:
        raise PatchError(
            at, "null removes fields of maps, and means nothing inside a list or $replace", "leave it out"
        )
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in steps:
        if isinstance(step, str) and step.startswith("$"):
            raise PatchError(
                (*at, step), f"{step} inside a new list or value has nothing to merge with", "leave it out"
            )
        _check_plain(item, (*at, step))
