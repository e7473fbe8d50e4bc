"""What a person may write: the types of `trainshed/v1`, every field optional, and the JSON Schema they give."""

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from trainshed.model.spec.cluster import ClusterSpec
from trainshed.model.spec.job import JobBody, TrainingJobSpec
from trainshed.model.spec.policy import PolicySpec
from trainshed.model.spec.preset import PresetSpec
from trainshed.model.spec.team import TeamSpec
from trainshed.model.spec.written import Written

API_VERSION = "trainshed/v1"

AnySpec: TypeAlias = ClusterSpec | TeamSpec | PresetSpec | TrainingJobSpec | PolicySpec

KINDS: dict[str, type[AnySpec]] = {
    "Cluster": ClusterSpec,
    "Team": TeamSpec,
    "Preset": PresetSpec,
    "TrainingJob": TrainingJobSpec,
    "Policy": PolicySpec,
}


def describe(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind."""
    _build_types()
    return KINDS[kind].model_json_schema()


@cache
def _build_types() -> None:
    """Types are built when a spec first needs them; a schema needs all of them, in the order in which they stand."""
    for written in _all_below(Written):
        written.model_rebuild(force=True)


def _all_below(written: type[Written]) -> Iterator[type[Written]]:
    for below in written.__subclasses__():
        yield below
        yield from _all_below(below)


__all__ = [
    "API_VERSION",
    "KINDS",
    "AnySpec",
    "ClusterSpec",
    "JobBody",
    "PolicySpec",
    "PresetSpec",
    "TeamSpec",
    "TrainingJobSpec",
    "describe",
]
