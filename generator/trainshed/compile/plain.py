"""Plain data for Kubernetes objects."""

from collections.abc import Mapping
from typing import Any

from trainshed.model.catalog import Taint
from trainshed.model.manifest import JsonObject


def without_empty(fields: Mapping[str, Any]) -> JsonObject:
    """The fields that say something: no None, no empty text, list or map. False and 0 do say something.

    An empty optional field vanishes when an operator writes the object back, and Argo CD then sees a difference.
    """
    return {
        key: value
        for key, value in fields.items()
        if value is not None and value != "" and value != [] and value != {}
    }


def toleration(taint: Taint) -> JsonObject:
    """What lets a pod onto nodes with the taint."""
    how = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    return {"key": taint.key, "effect": taint.effect, **how}
