"""What decides when and where the pods of a run start: queues, gangs, places."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct

Gang: TypeAlias = Literal["kueue", "volcano", "coscheduling", "none"]
"""What starts all pods of a run together on a cluster."""

GANG_OPERATORS: Mapping[Gang, str] = MappingProxyType(
    {"kueue": "kueue", "volcano": "volcano", "coscheduling": "scheduler-plugins"}
)
"""The operator that brings each of them along, in the order in which clusters prefer them."""

HOSTNAME = "kubernetes.io/hostname"
"""The label by which every node is told from all others."""


class Level(Struct, frozen=True):
    """A level of a cluster's topology: its name in specs, and the label that nodes of one domain share.

    `tier` counts from the narrowest level of the cluster, which is 1.
    """

    name: str
    label: str
    tier: int


class Preemption(Struct, frozen=True):
    """Whom a run that waits in a queue may drive out, in Kueue's words. `borrowing_below` is None for any priority."""

    within_queue: str
    reclaim: str
    borrowing: str
    borrowing_below: int | None


class Sharing(Struct, frozen=True):
    """How Kueue shares a cluster out. `pods_ready_seconds` is 0 where Kueue's own time, or ours, holds."""

    fair: bool
    pods_ready_seconds: int
    preemption: Preemption


class PodsTogether(Struct, frozen=True):
    """Pods that a scheduler starts together, and how many there must be.

    `queue` is the one of Volcano that they count in. `timeout_seconds` is how long a part of them may hold its nodes
    while it waits for the rest.
    """

    scheduler: Literal["volcano", "coscheduling"]
    scheduler_name: str
    members: int
    queue: str
    timeout_seconds: int


class Slices(Struct, frozen=True):
    """Equal parts of the pods, each of which is to be placed close together."""

    size: int
    level: Level


class Closeness(Struct, frozen=True):
    """How close together the pods are placed: in one domain of the level, or rather so. `by` is who sees to it."""

    level: Level | None
    required: bool
    slices: Slices | None
    by: Literal["kueue", "volcano", "affinity"]


class Scheduling(Struct, frozen=True):
    """When and where the pods start. `preemptible` is None where the job does not say; `exclusive` is a node label.

    `in_order` says that the pools are tried in their order by the pods' own affinity, for no queue does it.
    """

    together: PodsTogether | None
    preemptible: bool | None
    closeness: Closeness | None
    exclusive: str
    in_order: bool
