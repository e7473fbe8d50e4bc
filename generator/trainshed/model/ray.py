"""What only Ray has."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """How a Ray cluster grows and shrinks, as KubeRay spells it; empty where Ray decides."""

    idle_seconds: int
    upscaling: str
    version: str
