"""Where and how often a job saves its state."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import ContainerPath, Count, Duration, Name
from trainshed.model.spec.written import Lift, Written

_INTEGER = ("integer",)


class Every(Written):
    """How often a checkpoint is saved."""

    time: Duration | None = None
    """At least this often."""
    steps: Count | None = None
    """After this many steps."""


class Keep(Written):
    """How many checkpoints stay."""

    last: Count | None = None
    """The newest ones."""
    best: Annotated[int, Field(ge=0, le=1000)] | None = None
    """The best ones, by the metric that the code reports."""


class Checkpoint(Written):
    """Where and how often the run saves its state, so that a restart does not begin from nothing."""

    volume: Name | None = None
    """A volume of the team."""
    mount_path: ContainerPath | None = None
    """Where it is mounted; /checkpoints unless said otherwise."""
    every: Annotated[Every | None, Lift(("time",), ("string",))] = None
    """How often: 5m, or {steps: 500}."""
    save_time: Duration | None = None
    """What one save takes; checked against the grace period and the notice that spot capacity gives."""
    keep: Annotated[Keep | None, Lift(("last",), _INTEGER)] = None
    """How many stay: 3, or {last: 3, best: 1}."""
    resume: Literal["auto", "never"] | None = None
    """auto: go on from the newest complete checkpoint; never: begin anew."""
