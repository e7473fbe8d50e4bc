"""What starts the pods of a run together: Kueue, a gang scheduler, or nobody."""

from collections.abc import Iterator

from trainshed.catalog.installed import release_of, release_on
from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.families import RAY
from trainshed.model.pods import PodGroup
from trainshed.model.queueing import GANG_OPERATORS, PodsTogether
from trainshed.resolve.draft import Draft
from trainshed.resolve.layers import OWN_WORDS
from trainshed.resolve.objections import Objection, Weight
from trainshed.resolve.queueing import refuse_queue, way_into_queue

SCHEDULE_TIMEOUT_SECONDS = 600
"""How long pods hold their nodes while the rest of them wait: new GPU nodes take longer than the usual 60 s."""


def object_to_gang(draft: Draft, kind: Backend) -> Iterator[Objection]:
    """A Volcano Job counts in Volcano's queues, past those of Kueue."""
    cluster = draft.cluster
    if kind is Backend.VOLCANOJOB and "volcano" in cluster.operators and cluster.gang != "volcano":
        yield Objection(
            Weight.MISSING,
            Code.BACKEND_CANNOT,
            draft.kind_field,
            f'on "{cluster.name}" gangs are not Volcano\'s: a Volcano Job would run past every quota',
            f"leave the backend out, or write gang: volcano in {cluster.source.path}, without Kueue",
        )


def resolve_together(
    draft: Draft, backend: Backend, groups: tuple[PodGroup, ...], queue: str
) -> PodsTogether | None:
    """What the cluster's gang scheduler starts together, if it has one; the rest is left as findings."""
    max_pods = 1 if backend.is_alone else sum(group.max_pods for group in groups)
    held = queue and draft.cluster.gang != "none"
    least = 1 if max_pods == 1 else sum(group.min_pods for group in groups)
    waiting = _count_workers(backend, groups) if backend in RAY and least < max_pods else max_pods
    together = _resolve_scheduler(draft, least)
    if draft.body.gang == "none":
        _check_none(draft, backend, least if together else max_pods, queue, together)
    elif waiting > 1 and draft.cluster.num_nodes > 1 and not held and together is None:
        _refuse_gang(draft, waiting)
    if together and draft.body.scheduler not in (None, together.scheduler_name):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("scheduler",),
            f"scheduler {draft.body.scheduler} does not start pods together, and {together.scheduler_name} would not "
            f"see them on {draft.cluster.name}",
            f"leave it out, or write scheduler: {together.scheduler_name}",
        )
    if together and together.scheduler == "coscheduling" and backend in RAY:
        _check_ray(draft, backend)
    return together


def _count_workers(backend: Backend, groups: tuple[PodGroup, ...]) -> int:
    """The workers that a Ray cluster which grows starts with. A first one works alone; two may wait for each other."""
    return sum(group.min_pods for group in groups if group.name != backend.carrier.roles.beside)


def _resolve_scheduler(draft: Draft, least: int) -> PodsTogether | None:
    cluster, team = draft.cluster, draft.team
    gang = cluster.gang
    operator = GANG_OPERATORS.get(gang, "")
    if gang not in ("volcano", "coscheduling") or operator not in cluster.operators:
        return None
    return PodsTogether(
        scheduler=gang,
        scheduler_name=release_of(cluster.operators[operator]).settings["scheduler-name"],
        members=1 if draft.body.gang == "none" else least,
        queue=_volcano_queue(draft, team.volcano_queue) if gang == "volcano" else "",
        timeout_seconds=SCHEDULE_TIMEOUT_SECONDS,
    )


def _volcano_queue(draft: Draft, own: str) -> str:
    """The team's queue. Volcano lets nothing in without one: `none` is the queue that it brings along."""
    written = draft.body.queue
    if written not in (None, "none", own):
        refuse_queue(draft, written, [own])
    return "default" if written == "none" else own


def _check_none(draft: Draft, backend: Backend, pods: int, queue: str, together: PodsTogether | None) -> None:
    """`gang: none`, where it changes nothing or cannot be had."""
    own = draft.sources.layers.get(("gang",)) == OWN_WORDS
    if together and backend in RAY and pods > 1:
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("gang",),
            f"KubeRay counts the pods of {backend.noun} itself and starts them together",
            "leave gang out, or write nodes: {min: 1, max: …}: what it waits for is the least",
        )
    elif own and (pods == 1 or (queue and not together)):
        why = "its pods wait for no other" if pods == 1 else "Kueue lets a run in whole, or not at all"
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("gang",),
            f"gang: none changes nothing on {draft.cluster.name}: {why}",
            "leave it out for this cluster" + ("" if pods == 1 else ", or write queue: none"),
            severity=Severity.WARNING,
        )


def _refuse_gang(draft: Draft, max_pods: int) -> None:
    cluster = draft.cluster
    without = f'"{cluster.name}" has nothing that starts {max_pods} pods together'
    kueue = f"this job waits in no queue, so nothing starts its {max_pods} pods together"
    field = draft.size_field
    draft.refuse(
        Code.NO_GANG,
        ("queue",) if draft.body.queue == "none" else field,
        kueue if cluster.gang == "kueue" else without,
        f"half of them could start and wait for ever: {_way_out(draft)}, run on one node, "
        "or write gang: none if they need not start together",
    )


def _way_out(draft: Draft) -> str:
    if draft.cluster.gang == "kueue" or draft.cluster.has_kueue:
        return way_into_queue(draft)
    return f"install Kueue, Volcano or scheduler-plugins (operators: {{kueue: …}} in {draft.cluster.source.path})"


def _check_ray(draft: Draft, backend: Backend) -> None:
    """What KubeRay can do with scheduler-plugins: clusters, in its newer releases, and no jobs."""
    field = draft.kind_field
    kuberay = draft.cluster.operators.get("kuberay")
    release = release_on(draft.cluster, "kuberay")
    if kuberay and release and not release.can("batch-scheduler-plugins"):
        draft.refuse(
            Code.RELEASE_LACKS,
            field,
            f"kuberay {kuberay.release} on {draft.cluster.name} cannot start a Ray cluster by scheduler-plugins",
            f"raise the release at {kuberay.source}",
        )
    if backend is not Backend.RAYJOB:
        return
    draft.refuse(
        Code.BACKEND_CANNOT,
        field,
        f"KubeRay refuses every RayJob where it works with scheduler-plugins, as it does on {draft.cluster.name}",
        "write backend: raycluster and submit the work to it, or run on a cluster with Kueue or Volcano",
    )
