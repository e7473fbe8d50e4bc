"""The common part of several documents, and what has to be added to it to get one of them back."""

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
    """JSON 6902 `add` operations that turn the shared part into the whole; nothing is ever replaced or removed."""
    if isinstance(whole, dict) and isinstance(shared, dict):
        operations: list[JsonObject] = []
        for key in sorted(whole):
            below = f"{pointer}/{escape_pointer(key)}"
            if key in shared:
                operations += differences(shared[key], whole[key], below)
            else:
                operations.append({"op": "add", "path": below, "value": whole[key]})
        return operations
    if isinstance(whole, list) and isinstance(shared, list):
        return [
            operation
            for index, item in enumerate(whole)
            for operation in differences(shared[index], item, f"{pointer}/{index}")
        ]
    return []
