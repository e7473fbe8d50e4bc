"""Which of a job's words stands behind what is rendered."""

from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath

NAME: FieldPath = ("name",)
"""What answers where nobody said anything."""


def said(target: Target, group: PodGroup, *fields: FieldPath) -> FieldPath:
    """The first of the fields that somebody wrote, the role's own word before the job's; else the role, or the job."""
    paths = (path for field in fields for path in ((*group.field, *field), field))
    return next((path for path in paths if target.sources.has(*path)), group.field or NAME)
