"""Objects of a base may be anything that somebody merged: what has another shape than it should counts as nothing."""

from typing import Any

from trainshed.model.manifest import JsonObject


def table(value: Any) -> JsonObject:
    """A map, empty for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """A list, empty for anything else."""
    return value if isinstance(value, list) else []


def tables(value: Any) -> list[JsonObject]:
    """The maps of a list."""
    return [item for item in items(value) if isinstance(item, dict)]


def spec_of(body: JsonObject) -> JsonObject:
    """The `spec` of an object."""
    return table(body.get("spec"))


def metadata_of(body: JsonObject, field: str) -> JsonObject:
    """The labels or annotations of an object."""
    return table(table(body.get("metadata")).get(field))
