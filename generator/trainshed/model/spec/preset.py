"""`kind: Preset`: named defaults that jobs take with `extends`."""

from typing import Literal

from trainshed.model.spec.job import JobBody
from trainshed.model.spec.scalars import Name
from trainshed.model.spec.written import Written


class PresetSpec(Written):
    """Named defaults for jobs."""

    api_version: Literal["trainshed/v1"]
    """The version of this grammar."""
    kind: Literal["Preset"]
    """This is a preset."""
    name: Name
    """The name that jobs extend."""
    team: Name | None = None
    """The only team that may use it; all teams unless said otherwise."""
    job: JobBody | None = None
    """What a job that extends this preset starts from."""
