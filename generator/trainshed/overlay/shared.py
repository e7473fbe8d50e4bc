"""The common part of several documents, and what has to be done to it to get one of them back."""

from collections.abc import Iterator
from typing import Any

from trainshed.model.manifest import JsonObject, canonical_json, escape_pointer

_NOTHING = object()

LARGEST_PATCHED = 999_999
"""Kustomize 5.8 reads the numbers of an object that it patches as floats, and writes a million as 1e+06."""


def can_be_shared(bodies: list[JsonObject]) -> bool:
    """Whether Kustomize can give the documents back: they are all the same, or patches leave their numbers alone."""
    return len({canonical_json(body) for body in bodies}) == 1 or not any(map(_holds_large_number, bodies))


def _holds_large_number(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_holds_large_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and abs(value) > LARGEST_PATCHED


def shared_part(bodies: list[JsonObject]) -> JsonObject:
    """What all the documents agree on: maps key by key, lists of one length item by item, else not at all."""
    if len(bodies) == 1:
        return bodies[0]
    shared = _share(bodies)
    return shared if isinstance(shared, dict) else {}


def _share(values: list[Any]) -> Any:
    if all(isinstance(value, dict) for value in values):
        keys = set(values[0]).intersection(*values[1:])
        parts = {key: _share([value[key] for value in values]) for key in sorted(keys)}
        kept = {key: part for key, part in parts.items() if part is not _NOTHING}
        return kept if kept or all(not value for value in values) else _NOTHING
    if all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        parts = [_share([value[index] for value in values]) for index in range(len(values[0]))]
        return _NOTHING if _NOTHING in parts else parts
    first = canonical_json(values[0])
    return values[0] if all(canonical_json(value) == first for value in values[1:]) else _NOTHING


def differences(shared: Any, whole: Any, pointer: str = "") -> list[JsonObject]:
    """JSON 6902 operations that turn the one into the other. From a shared part nothing is replaced or removed."""
    if isinstance(whole, dict) and isinstance(shared, dict):
        return list(_between_maps(shared, whole, pointer))
    if isinstance(whole, list) and isinstance(shared, list) and len(whole) == len(shared):
        return [
            operation
            for index, item in enumerate(whole)
            for operation in differences(shared[index], item, f"{pointer}/{index}")
        ]
    if canonical_json(shared) == canonical_json(whole):
        return []
    return [{"op": "replace", "path": pointer, "value": whole}]


def _between_maps(shared: JsonObject, whole: JsonObject, pointer: str) -> Iterator[JsonObject]:
    for key in sorted(shared.keys() | whole.keys()):
        below = f"{pointer}/{escape_pointer(key)}"
        if key not in whole:
            yield {"op": "remove", "path": below}
        elif key not in shared:
            yield {"op": "add", "path": below, "value": whole[key]}
        else:
            yield from differences(shared[key], whole[key], below)
