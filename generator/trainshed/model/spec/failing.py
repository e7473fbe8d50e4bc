"""What happens after a failure."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import Name
from trainshed.model.spec.written import Written


class SuccessWhen(Written):
    """What has to end well for the run to have succeeded."""

    done: Literal["all", "any"] | None = None
    """all or any of its roles; of its pods, where it has no roles."""
    role: Name | None = None
    """The role that decides."""


class Restarts(Written):
    """How often the whole job starts again. What that becomes for each kind: docs/backends.md."""

    failures: Annotated[int, Field(ge=0, le=1000)] | None = None
    """After failures of the code; 0 unless said otherwise."""
    faults: Literal["unlimited", "counted", "none"] | None = None
    """After drains, evictions, lost nodes: unlimited, counted as failures, or none; the kind's own way if not said."""
    scope: Literal["job", "pod", "process"] | None = None
    """What starts again: all pods of the job, the failed pod, or its processes; the kind's own way if not said."""
