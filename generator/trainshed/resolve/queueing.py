"""The queue that a job waits in, its priority there, and what Kueue does for it."""

from collections.abc import Iterable, Iterator, Mapping

from trainshed.catalog.installed import release_on
from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.pods import PodGroup
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft
from trainshed.resolve.layers import OWN_WORDS
from trainshed.resolve.objections import Objection, Weight

LONGEST_DEADLINE_SECONDS = 2**31 - 1
"""What KubeRay and Kueue count with."""


def wanted_queue(draft: Draft) -> str:
    """The queue in Kueue that the job's words come to, or nothing where it runs at once."""
    team, written = draft.team, draft.body.queue
    if written == "none":
        return ""
    if draft.body.preemptible is False and team.guaranteed_queue:
        return team.guaranteed_queue
    return written if written and written in team.queues else team.queue


def resolve_queue(draft: Draft) -> str:
    """The queue in Kueue, or nothing where the job runs at once."""
    written, team = draft.body.queue, draft.team
    if written == "none" or not draft.cluster.has_kueue:
        return ""
    if written is not None and written not in team.queues:
        refuse_queue(draft, written, team.queues)
    queue = wanted_queue(draft)
    if draft.body.preemptible is False:
        _check_guaranteed(draft, queue)
    return queue


def refuse_queue(draft: Draft, written: str, known: Iterable[str]) -> None:
    """A queue that the team does not have."""
    draft.refuse(
        Code.UNKNOWN_QUEUE,
        ("queue",),
        f'team "{draft.team.name}" has no queue "{written}" on {draft.cluster.name}',
        did_you_mean(written, known) or f"give it a quota there, in {draft.team.source.path}",
    )


def _check_guaranteed(draft: Draft, queue: str) -> None:
    """Kueue takes back what a queue has borrowed, and never what is guaranteed to a queue that nobody borrows from."""
    team, written = draft.team, draft.body.queue
    if not team.guaranteed_queue:
        draft.refuse(
            Code.MISSING_CHOICE,
            ("preemptible",),
            f'nothing on {draft.cluster.name} is guaranteed to team "{team.name}"',
            f"write guaranteed: <nodes> beside its quota, in {team.source.path}, or leave preemptible out",
        )
    elif written not in (None, queue):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("preemptible",),
            f"in queue {written} a run can be driven out; {queue} is for those that cannot",
            "leave the queue out",
        )


INTEGRATIONS: Mapping[Backend, str] = {Backend.TRAINJOB: "trainjob-integration"}
"""The feature by which Kueue holds back a kind, where only some of its releases can."""


def object_to_queue(draft: Draft, kind: Backend) -> Iterator[Objection]:
    """Kueue lets a kind that it does not know pass, past every quota."""
    feature = INTEGRATIONS.get(kind)
    waits = draft.team.queue and draft.body.queue != "none"
    if feature is None or not waits:
        return
    kueue, release = draft.cluster.operators["kueue"], release_on(draft.cluster, "kueue")
    if release is not None and not release.can(feature):
        yield Objection(
            Weight.MISSING,
            Code.RELEASE_LACKS,
            draft.kind_field,
            f"kueue {kueue.release} on {draft.cluster.name} cannot hold {kind.noun} in a queue",
            f"raise the release at {kueue.source}, or leave the backend out",
        )


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
            f"leave it out for this cluster, or {way_into_queue(draft)}",
            severity=Severity.WARNING,
        )
    return written if queue else ""


def resolve_preemptible(draft: Draft, queue: str) -> bool | None:
    """Whether others may drive the run out, where the job says so."""
    written = draft.body.preemptible
    heard = queue or draft.cluster.has_volcano_queues
    if written is False and not heard and draft.sources.layers.get(("preemptible",)) == OWN_WORDS:
        draft.refuse(
            Code.PRIORITY_UNUSED,
            ("preemptible",),
            f"preemptible has no effect on {draft.cluster.name}: nobody drives out a job that waits in no queue",
            f"leave it out for this cluster, or {way_into_queue(draft)}",
            severity=Severity.WARNING,
        )
    return written


def way_into_queue(draft: Draft) -> str:
    """What has to be written for the job to wait in a queue."""
    if not draft.cluster.has_kueue:
        return f"install Kueue (operators: {{kueue: …}} in {draft.cluster.source.path})"
    if draft.body.queue == "none":
        return "leave queue: none out"
    return f"give the team a quota on {draft.cluster.name}, in {draft.team.source.path}"


FOLLOWING: Mapping[Backend, str] = {
    Backend.RAYJOB: "elastic-rayjob",
    Backend.RAYCLUSTER: "elastic-jobs",
}
"""The feature by which Kueue follows a kind that scales while it runs."""


def check_elastic(draft: Draft, backend: Backend, groups: tuple[PodGroup, ...], queue: str) -> None:
    """A Ray cluster that scales while it runs waits in a queue only where Kueue can follow it."""
    scaling = next((group for group in groups if group.min_pods != group.max_pods), None)
    if backend not in FOLLOWING or scaling is None or not queue:
        return
    kueue, release = draft.cluster.operators["kueue"], release_on(draft.cluster, "kueue")
    field = (
        (*scaling.field, "nodes", "min") if draft.sources.has(*scaling.field, "nodes") else ("nodes", "min")
    )
    fixed = f"write nodes: {scaling.max_pods}"
    if release is not None and not release.can(FOLLOWING[backend]):
        draft.refuse(
            Code.RELEASE_LACKS,
            field,
            f"kueue {kueue.release} on {draft.cluster.name} cannot follow {backend.noun} that scales while it runs",
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
    if deadline > LONGEST_DEADLINE_SECONDS and not backend.is_alone:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("deadline",),
            f"{backend.noun} cannot count to {deadline} seconds",
            f"write at most {LONGEST_DEADLINE_SECONDS // 86400}d",
        )
    if deadline and backend.carrier.deadline == "queue" and not queue:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("deadline",),
            f"nothing ends {backend.noun} at its deadline unless it waits in a queue",
            "give the team a quota on this cluster, run on one node (Job), or stop in the code",
        )
    return deadline
