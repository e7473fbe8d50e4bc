"""When a job runs by itself."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import Duration
from trainshed.model.spec.written import Lift, Written

_INTEGER = ("integer",)


class ScheduleKeep(Written):
    """How many finished firings stay visible."""

    succeeded: Annotated[int, Field(ge=0, le=100)] | None = None
    """Firings that succeeded."""
    failed: Annotated[int, Field(ge=0, le=100)] | None = None
    """Firings that failed."""


class Schedule(Written):
    """When the job runs by itself."""

    cron: str | None = None
    """Five fields: minute, hour, day of month, month, day of week."""
    time_zone: str | None = None
    """An IANA time zone such as Europe/Berlin; Etc/UTC unless said otherwise."""
    overlap: Literal["forbid", "allow", "replace"] | None = None
    """What happens when the last firing still runs; forbid unless said otherwise."""
    keep: Annotated[ScheduleKeep | None, Lift(("succeeded", "failed"), _INTEGER)] = None
    """How many finished firings stay: 3, or {succeeded: 3, failed: 1}."""
    start_within: Duration | None = None
    """A firing that could not start within this time is left out."""
    paused: bool | None = None
    """true: no new firings."""
    resume_previous: bool | None = None
    """true: all firings share one directory of checkpoints, and each goes on where the last one stopped."""
