"""Plain data for Kubernetes objects."""

from collections.abc import Mapping
from typing import Any

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
