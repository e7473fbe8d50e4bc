"""The queue that a job waits in, its priority there, and what starts its pods together."""

from trainshed.catalog import operators
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.plan import Backend, PodGroup
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft
from trainshed.resolve.layers import OWN_WORDS

LONGEST_DEADLINE_SECONDS = 2**31 - 1
"""What KubeRay and Kueue count with."""


def resolve_queue(draft: Draft) -> str:
    """The queue, or nothing where the job runs at once."""
    written, own = draft.body.queue, draft.team.queue
    if written == "none" or not draft.cluster.has_kueue:
        return ""
    if written is not None and written != own:
        draft.refuse(
            Code.UNKNOWN_QUEUE,
            ("queue",),
            f'team "{draft.team.name}" has no queue "{written}" on {draft.cluster.name}',
            did_you_mean(written, [own] if own else [])
            or f"give it a quota there, in {draft.team.source.path}",
        )
    return own


def resolve_priority(draft: Draft, queue: str) -> str:
    """The priority in the queue, or nothing."""
    written = draft.body.priority
    if written is None:
        return ""
    if written not in draft.cluster.priorities:
        draft.refuse(
            Code.UNKNOWN_PRIORITY,
            ("priority",),
            f'cluster "{draft.cluster.name}" has no priority "{written}"',
            did_you_mean(written, draft.cluster.priorities),
        )
    if not queue and draft.sources.layers.get(("priority",)) == OWN_WORDS:
        draft.refuse(
            Code.PRIORITY_UNUSED,
            ("priority",),
            f"priority {written} has no effect on {draft.cluster.name}: the job waits in no queue",
            f"leave it out for this cluster, or {_way_into_queue(draft)}",
            severity=Severity.WARNING,
        )
    return written if queue else ""


def check_gang(draft: Draft, max_pods: int, queue: str) -> None:
    """Several pods need something that starts them together, unless the cluster is one node."""
    cluster = draft.cluster
    if max_pods == 1 or cluster.num_nodes <= 1 or (cluster.has_gang and queue):
        return
    missing = (
        f'"{cluster.name}" has nothing that starts {max_pods} pods together'
        if not cluster.has_gang
        else f"this job waits in no queue, so nothing starts its {max_pods} pods together"
    )
    draft.refuse(
        Code.NO_GANG,
        ("queue",)
        if draft.body.queue == "none"
        else ("nodes",)
        if draft.sources.has("nodes")
        else ("roles",),
        missing,
        f"half of them could start and wait for ever: {_way_into_queue(draft)}, or run on one node",
    )


def _way_into_queue(draft: Draft) -> str:
    """What has to be written for the job to wait in a queue."""
    if not draft.cluster.has_kueue:
        return f"install Kueue (operators: {{kueue: …}} in {draft.cluster.source.path})"
    if draft.body.queue == "none":
        return "leave queue: none out"
    return f"give the team a quota on {draft.cluster.name}, in {draft.team.source.path}"


def check_elastic(draft: Draft, backend: Backend, groups: tuple[PodGroup, ...], queue: str) -> None:
    """A RayJob that scales while it runs waits in a queue only where Kueue can follow it."""
    scaling = next((group for group in groups if group.min_pods != group.max_pods), None)
    if backend is not Backend.RAYJOB or scaling is None or not queue:
        return
    kueue = draft.cluster.operators["kueue"]
    release = operators()["kueue"].releases.get(kueue.release)
    field = (
        (*scaling.field, "nodes", "min") if draft.sources.has(*scaling.field, "nodes") else ("nodes", "min")
    )
    fixed = f"write nodes: {scaling.max_pods}"
    if release is not None and "elastic-rayjob" not in release.features:
        draft.refuse(
            Code.RELEASE_LACKS,
            field,
            f"kueue {kueue.release} on {draft.cluster.name} cannot follow a RayJob that scales while it runs",
            f"raise the release at {kueue.source}; until then {fixed}",
        )
    elif not draft.cluster.elastic_jobs:
        draft.refuse(
            Code.ELASTIC_QUEUE,
            field,
            f"this job scales from {scaling.min_pods} to {scaling.max_pods} nodes, its queue cannot follow",
            f"write kueue: {{elasticJobs: true}} in {draft.cluster.source.path}, or {fixed}",
        )


def resolve_deadline(draft: Draft, backend: Backend, queue: str) -> int:
    """The Training Operator looks at activeDeadlineSeconds only when something else happens, so Kueue keeps it."""
    deadline = draft.body.deadline or 0
    if deadline > LONGEST_DEADLINE_SECONDS and backend in (Backend.PYTORCHJOB, Backend.RAYJOB):
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("deadline",),
            f"a {backend.kind} cannot count to {deadline} seconds",
            f"write at most {LONGEST_DEADLINE_SECONDS // 86400}d",
        )
    if deadline and backend is Backend.PYTORCHJOB and not queue:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("deadline",),
            "nothing ends a PyTorchJob at its deadline unless it waits in a queue",
            "give the team a quota on this cluster, run on one node (Job), or stop in the code",
        )
    return deadline
