"""Two trees of plain data, field by field: items of lists are known by their names, not by their places."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from trainshed.model.manifest import JsonObject, canonical_json, escape_pointer

Path: TypeAlias = tuple[str, ...]

MISSING: Any = None
"""What stands in place of a value that is not there; no object of ours holds null."""

_NAMES = ("name", "mountPath", "key", "containerPort", "kind")
"""The fields that tell items of a list apart, tried in order."""


class Difference(NamedTuple):
    """A value before and after, None where there is none; `pointer` leads to it in the new tree."""

    path: Path
    pointer: str
    before: Any
    after: Any


def compare(before: Any, after: Any, path: Path = (), pointer: str = "") -> Iterator[Difference]:
    """Every smallest part that differs, in the order of keys. Lists of plain values differ as a whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            below = f"{pointer}/{escape_pointer(key)}"
            yield from compare(before.get(key), after.get(key), (*path, key), below)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _compare_lists(before, after, path, pointer)
    elif _is_map(before, after):
        yield from compare(before or {}, after or {}, path, pointer)
    elif before != after or type(before) is not type(after):
        yield Difference(path, pointer, before, after)


def leaves(value: Any, path: Path = (), pointer: str = "") -> Iterator[Difference]:
    """Every plain value of a tree, as if nothing had been there before."""
    if isinstance(value, dict):
        for key, item in sorted(value.items()):
            yield from leaves(item, (*path, key), f"{pointer}/{escape_pointer(key)}")
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            name = str(item.get("name", index)) if isinstance(item, dict) else str(index)
            yield from leaves(item, (*path, name), f"{pointer}/{index}")
    else:
        yield Difference(path, pointer, MISSING, value)


def _is_map(before: Any, after: Any) -> bool:
    """Whether a map appears or goes whole, and is more than a value with a name."""
    one, other = (before, after) if after is MISSING else (after, before)
    return isinstance(one, dict) and other is MISSING and bool(one)


def _compare_lists(before: list[Any], after: list[Any], path: Path, pointer: str) -> Iterator[Difference]:
    if before == after:
        return
    items = [*before, *after]
    if not all(isinstance(item, dict) for item in items):
        yield Difference(path, pointer, before, after)
        return
    field = next((name for name in _NAMES if _tells_apart(before, name) and _tells_apart(after, name)), None)
    if field is None:
        yield from _compare_nameless(before, after, path, pointer)
        return
    old = {str(item[field]): item for item in before}
    new = {str(item[field]): (index, item) for index, item in enumerate(after)}
    for name in dict.fromkeys((*old, *new)):
        index, item = new.get(name, (-1, MISSING))
        below = (*path, name)
        place = f"{pointer}/{index}" if index >= 0 else pointer
        if name in old and index >= 0:
            yield from compare(old[name], item, below, place)
        else:
            yield Difference(below, place, old.get(name), item)


def _tells_apart(items: list[JsonObject], field: str) -> bool:
    names = [item.get(field) for item in items]
    return all(isinstance(name, str | int) for name in names) and len(set(names)) == len(names)


def _compare_nameless(before: list[Any], after: list[Any], path: Path, pointer: str) -> Iterator[Difference]:
    """What is on one side only, in pairs as far as they go."""
    new = Counter(map(canonical_json, after))
    shared = Counter(map(canonical_json, before)) & new
    old_rest = _without(before, shared.copy())
    new_rest = _without(after, shared.copy())
    for (_, old), (index, item) in zip(old_rest, new_rest, strict=False):
        yield from compare(old, item, (*path, str(index)), f"{pointer}/{index}")
    for _, old in old_rest[len(new_rest) :]:
        yield Difference((*path, "*"), pointer, old, MISSING)
    for index, item in new_rest[len(old_rest) :]:
        yield Difference((*path, "*"), f"{pointer}/{index}", MISSING, item)


def _without(items: list[Any], shared: Counter[str]) -> list[tuple[int, Any]]:
    rest: list[tuple[int, Any]] = []
    for index, item in enumerate(items):
        text = canonical_json(item)
        if shared[text]:
            shared[text] -= 1
        else:
            rest.append((index, item))
    return rest
