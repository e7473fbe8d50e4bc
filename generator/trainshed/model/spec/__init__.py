"""What a person may write: the types of `trainshed/v1`, every field optional, and the JSON Schema they give."""

from trainshed.model.spec.cluster import ClusterSpec
from trainshed.model.spec.job import JobBody, TrainingJobSpec
from trainshed.model.spec.preset import PresetSpec
from trainshed.model.spec.team import TeamSpec

API_VERSION = "trainshed/v1"

KINDS: dict[str, type[ClusterSpec] | type[TeamSpec] | type[PresetSpec] | type[TrainingJobSpec]] = {
    "Cluster": ClusterSpec,
    "Team": TeamSpec,
    "Preset": PresetSpec,
    "TrainingJob": TrainingJobSpec,
}

__all__ = ["API_VERSION", "KINDS", "ClusterSpec", "JobBody", "PresetSpec", "TeamSpec", "TrainingJobSpec"]
