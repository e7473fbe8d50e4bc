"""What only Ray has."""

from typing import Literal

from trainshed.model.spec.scalars import Duration
from trainshed.model.spec.written import Written


class Autoscaler(Written):
    """How a Ray cluster grows and shrinks between the least and the most of its workers."""

    idle_timeout: Duration | None = None
    """How long a worker stays without work; 60s unless said otherwise."""
    upscaling: Literal["default", "conservative", "aggressive"] | None = None
    """How fast it grows: default and aggressive at once, conservative by no more than there are workers."""
    version: Literal["v1", "v2"] | None = None
    """Which of Ray's autoscalers; the Ray release decides unless said otherwise."""
