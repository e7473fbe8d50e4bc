"""How clusters and teams share: Kueue's set-up, preemption, topology, quotas."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import Duration, Name
from trainshed.model.spec.written import Lift, Written

_AMOUNT = Annotated[int, Field(ge=0, le=1_000_000)]
_PRIORITY = Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)]


class BorrowWithinCohort(Written):
    """Whom a run may drive out of other queues while its own queue borrows."""

    policy: Literal["never", "lower-priority"] | None = None
    """never unless said otherwise."""
    max_priority: _PRIORITY | None = None
    """Only runs of at most this priority."""


class Preemption(Written):
    """Whom a run that waits may drive out."""

    within_cluster_queue: Literal["never", "lower-priority", "lower-or-newer-equal-priority"] | None = None
    """In its own queue; lower-priority unless said otherwise."""
    reclaim_within_cohort: Literal["never", "lower-priority", "any"] | None = None
    """In queues that borrow what is its own; any unless said otherwise."""
    borrow_within_cohort: Annotated[BorrowWithinCohort | None, Lift(("policy",), ("string",))] = None
    """In other queues while its own queue borrows: never, or lower-priority."""


class KueueSettings(Written):
    """How Kueue is set up."""

    elastic_jobs: bool | None = None
    """true: jobs may grow and shrink while they run (workload slices), as Ray autoscaling needs."""
    fair_sharing: bool | None = None
    """true: what is left over in the cohort is shared by the teams' weights, not by who came first."""
    pods_ready_timeout: Duration | None = None
    """How long the pods of an admitted run may take to be ready before it goes back to its queue."""
    preemption: Preemption | None = None
    """Whom a run that waits may drive out."""


class Topology(Written):
    """How far apart nodes are, by their labels."""

    levels: dict[Name, str | None] | None = None
    """The widest first: {block: example.com/block, rack: example.com/rack, host: kubernetes.io/hostname}."""


class Quota(Written):
    """What a team may use of one pool, in whole nodes or in GPUs."""

    nodes: _AMOUNT | None = None
    """Nodes that are the team's own."""
    gpus: _AMOUNT | None = None
    """GPUs that are the team's own; CPU and memory follow from the machine's share."""
    guaranteed: _AMOUNT | None = None
    """How much of its own is kept for jobs that are not preemptible, in the same unit."""
    borrow: _AMOUNT | None = None
    """How much more it may borrow from the cohort, in the same unit; no limit unless said otherwise."""
    lend: _AMOUNT | None = None
    """How much of its own it lends to the cohort, in the same unit; all unless said otherwise."""
