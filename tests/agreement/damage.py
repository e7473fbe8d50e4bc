"""Objects broken in every way that a typing error or a wrong idea could break them, one place at a time."""

import copy
from collections.abc import Iterator
from typing import Any

JsonObject = dict[str, Any]
Path = tuple[str | int, ...]

TEXTS = ("", "Not Valid!", "x" * 300, "-1", "9" * 30)
NUMBERS = (-1, 0, 10**10)
IDENTITY = {("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}


def damaged(body: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Copies of the object with one place changed, each with what was done to it. Identity stays."""
    for path, value in _places(body, ()):
        if path in IDENTITY:
            continue
        where = "/".join(map(str, path))
        yield f"{where}: left out", _without(body, path)
        for replacement in _replacements(value):
            yield f"{where}: {str(replacement)[:20]!r}", _with(body, path, replacement)
        if isinstance(value, dict) and path != ("metadata", "annotations"):
            yield f"{where}: an unknown field", _with(body, path, value | {"unheardOf": "x"})
        if isinstance(value, list) and value:
            yield f"{where}: its first item twice", _with(body, path, [value[0], *value])


def _replacements(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield from ("true", not value)
    elif isinstance(value, int):
        yield from (*NUMBERS, "seven")
    elif isinstance(value, str):
        yield from (*TEXTS, 7)
    elif isinstance(value, dict):
        yield from ("text", {})
    else:
        yield from ({}, [])


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key), inner
        yield from _places(inner, (*path, key))


def _with(body: JsonObject, path: Path, value: Any) -> JsonObject:
    made = copy.deepcopy(body)
    _holder(made, path)[path[-1]] = copy.deepcopy(value)
    return made


def _without(body: JsonObject, path: Path) -> JsonObject:
    made = copy.deepcopy(body)
    del _holder(made, path)[path[-1]]
    return made


def _holder(body: Any, path: Path) -> Any:
    for step in path[:-1]:
        body = body[step]
    return body
