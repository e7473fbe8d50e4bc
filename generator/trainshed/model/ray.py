"""What only Ray has."""

from msgspec import Struct


class Autoscaler(Struct, frozen=True):
    """How a Ray cluster grows and shrinks, as KubeRay spells it; empty where Ray decides."""

    idle_seconds: int
    upscaling: str
    version: str
