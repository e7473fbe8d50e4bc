"""How close together the pods of a run are placed, and whether they share a rack with another run."""

from itertools import pairwise
from typing import Literal

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.plan import Target
from trainshed.model.queueing import HOSTNAME, Closeness, Level, PodsTogether, Scheduling, Slices
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft
from trainshed.resolve.queueing import resolve_preemptible

HOST = Level("host", HOSTNAME, 0)
"""The narrowest level, which every cluster has."""

OWN_POD_GROUPS = frozenset(
    {
        Backend.JOBSET,
        Backend.VOLCANOJOB,
        Backend.RAYJOB,
        Backend.RAYCLUSTER,
        Backend.TRAINJOB,
    }
)
"""Kinds whose PodGroup can say how close together: those of the Training and MPI Operators cannot."""


def resolve_scheduling(
    draft: Draft, backend: Backend, together: PodsTogether | None, queue: str
) -> Scheduling:
    """When and where the pods start."""
    exclusive = draft.body.exclusive
    level = _find_level(draft, exclusive, ("exclusive",)) if exclusive else None
    if level and queue and draft.cluster.topology:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("exclusive",),
            f"Kueue picks the nodes of runs on {draft.cluster.name} by their topology, whoever is there already",
            "leave it out, or write queue: none",
        )
    return Scheduling(
        together=together,
        preemptible=resolve_preemptible(draft, queue),
        closeness=_resolve_closeness(draft, backend, together, queue),
        exclusive=level.label if level else "",
        in_order=len(draft.body.capacity or ()) > 1 and not queue,
    )


def _find_level(draft: Draft, name: str, field: tuple[str, ...]) -> Level | None:
    known = {level.name: level for level in draft.cluster.topology}
    if HOSTNAME not in {level.label for level in known.values()}:
        known = {**known, HOST.name: known.get(HOST.name, HOST)}
    if name not in known:
        draft.refuse(
            Code.UNKNOWN_VALUE,
            field,
            f'cluster "{draft.cluster.name}" has no level "{name}" in its topology',
            did_you_mean(name, known)
            or f"it has {', '.join(known)}; write topology: {{levels: …}} in {draft.cluster.source.path}",
        )
    return known.get(name)


def _resolve_closeness(
    draft: Draft, backend: Backend, together: PodsTogether | None, queue: str
) -> Closeness | None:
    written = draft.body.topology
    if written is None:
        return None
    if written.required and written.preferred:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("topology", "preferred"),
            "topology says required and preferred",
            "keep one of them",
        )
    word = "required" if written.required else "preferred"
    name = written.required or written.preferred
    level = _find_level(draft, name, ("topology", word)) if name else None
    by = _who(draft, backend, together, queue, level)
    slices = None
    if written.slice is not None:
        within = _find_level(draft, written.slice.required, ("topology", "slice", "required"))
        slices = Slices(written.slice.size, within) if within else None
        if by != "kueue":
            draft.refuse(
                Code.BACKEND_CANNOT,
                ("topology", "slice"),
                f"only Kueue places parts of a run, and it does not place this one on {draft.cluster.name}",
                "let the job wait in a queue of a cluster that describes its topology, or leave slice out",
            )
    return Closeness(level, word == "required", slices, by) if level or slices else None


def _who(
    draft: Draft, backend: Backend, together: PodsTogether | None, queue: str, level: Level | None
) -> Literal["kueue", "volcano", "affinity"]:
    """Kueue places what waits in its queues, by nodes whose topology it knows; Volcano what its PodGroups hold."""
    if queue and draft.cluster.topology:
        return "kueue"
    in_group = together and together.scheduler == "volcano" and together.members > 1
    return "volcano" if in_group and backend in OWN_POD_GROUPS and level and level.tier else "affinity"


def check_closeness(draft: Draft, target: Target) -> None:
    """Kueue places each pod set by itself: two of them together only where one of them is a single pod."""
    closeness = target.scheduling.closeness
    if closeness is None or closeness.by != "kueue":
        return
    pods = [role.pods for role in target.roles]
    if closeness.level and len(pods) > 1 and not is_pair(target):
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("topology",),
            f"Kueue places each of the {len(pods)} roles by itself, and may put them far from one another",
            "describe one role of several pods, or two of which one has a single pod",
        )
    slices = closeness.slices
    if slices and any(count % slices.size for count in pods):
        odd = next(role for role in target.roles if role.pods % slices.size)
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("topology", "slice", "size"),
            f"{odd.pods} pods of role {odd.name} cannot be cut into parts of {slices.size}",
            "write a size that divides every role's pods, or take a kind with one role: trainjob, jobset",
        )


def is_pair(target: Target) -> bool:
    """Whether the pods are two pod sets of which one has a single pod: Kueue can place those as one."""
    pods = [role.pods for role in target.roles]
    return len(pods) == 2 and min(pods) == 1


def check_order(draft: Draft, target: Target) -> None:
    """A queue tries its pools in one order for all jobs: that of the cluster's spec."""
    if len(draft.body.capacity or ()) < 2 or not target.queue:
        return
    known = list(draft.cluster.pools)
    for group in target.groups:
        places = [known.index(pool.name) for pool in group.pools]
        swapped = next((pair for pair in pairwise(places) if pair[0] > pair[1]), None)
        if swapped:
            first, second = (known[place] for place in swapped)
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                ("capacity",),
                f'queue "{target.queue}" tries pool "{second}" before "{first}", for every job in it',
                f"write the capacities in that order, or put {first} before {second} in {draft.cluster.source.path}",
            )
            return
