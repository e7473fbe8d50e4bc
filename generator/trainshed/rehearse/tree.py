"""Places in an object that anybody may have written, read and changed by JSON pointers."""

from collections.abc import Iterator
from typing import Any

from trainshed.model.manifest import JsonObject

NAMES = ("name", "groupName")
"""The fields by which items of lists are known."""


def find_all(body: Any, pattern: str, name: str = "") -> Iterator[tuple[str, JsonObject]]:
    """The maps at a pointer with `*` for every key or item, by the key or the item's own name."""
    step, _, rest = pattern.removeprefix("/").partition("/")
    if not step:
        if isinstance(body, dict):
            yield name, body
    elif step == "*":
        for key, value in _steps(body):
            yield from find_all(value, rest, key)
    elif isinstance(body, dict) and step in body:
        yield from find_all(body[step], rest, name)


def _steps(body: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(body, dict):
        yield from body.items()
    elif isinstance(body, list):
        for item in body:
            names = (item.get(field) for field in NAMES) if isinstance(item, dict) else ()
            yield next((name for name in names if isinstance(name, str)), ""), item


def maps_in(body: Any) -> Iterator[JsonObject]:
    """Every map in an object, outer ones first."""
    if isinstance(body, dict):
        yield body
        for value in list(body.values()):
            yield from maps_in(value)
    elif isinstance(body, list):
        for item in body:
            yield from maps_in(item)


def holder_of(body: JsonObject, pointer: str) -> tuple[JsonObject | None, str]:
    """The map that holds what stands at a pointer, None if there is no such map, and the last step."""
    path, _, last = pointer.rpartition("/")
    found = next((found for _, found in find_all(body, path)), None)
    return found, last


def number_at(body: JsonObject, pointer: str) -> int | None:
    """The whole number at a pointer, None where there is none."""
    holder, last = holder_of(body, pointer)
    value = holder.get(last) if holder else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def put(body: JsonObject, pointer: str, value: Any) -> None:
    """Write a value where its holder is; nothing where there is no holder."""
    holder, last = holder_of(body, pointer)
    if holder is not None:
        holder[last] = value
