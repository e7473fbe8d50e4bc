"""What a person may write: the types of `trainshed/v1`, every field optional, and the JSON Schema they give."""

from typing import TypeAlias

from trainshed.model.spec.cluster import ClusterSpec
from trainshed.model.spec.job import JobBody, TrainingJobSpec
from trainshed.model.spec.policy import PolicySpec
from trainshed.model.spec.preset import PresetSpec
from trainshed.model.spec.team import TeamSpec

API_VERSION = "trainshed/v1"

AnySpec: TypeAlias = ClusterSpec | TeamSpec | PresetSpec | TrainingJobSpec | PolicySpec

KINDS: dict[str, type[AnySpec]] = {
    "Cluster": ClusterSpec,
    "Team": TeamSpec,
    "Preset": PresetSpec,
    "TrainingJob": TrainingJobSpec,
    "Policy": PolicySpec,
}

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
]
