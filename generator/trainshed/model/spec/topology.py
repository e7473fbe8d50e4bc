"""Where the pods of a job start: close to one another, and away from others."""

from trainshed.model.spec.scalars import Count, Name
from trainshed.model.spec.written import Written


class Slice(Written):
    """Equal parts of the pods, each of which is placed in one domain."""

    size: Count
    """How many pods each part has."""
    required: Name
    """The level of which each part gets one domain: rack."""


class Closeness(Written):
    """How close together the pods are placed, by the levels of the cluster's topology."""

    required: Name | None = None
    """All pods in one domain of this level, or none starts: rack."""
    preferred: Name | None = None
    """In one domain of this level where there is room, in few of them where not: block."""
    slice: Slice | None = None
    """Equal parts of the pods, each in one domain: {size: 4, required: rack}."""
