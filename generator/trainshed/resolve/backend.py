"""Which Kubernetes kind carries a run, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from trainshed.catalog.installed import release_on
from trainshed.model.backend import CARRIERS, Backend
from trainshed.model.codes import Code
from trainshed.resolve.draft import Draft
from trainshed.resolve.gang import object_to_gang
from trainshed.resolve.launch import object_to_launcher
from trainshed.resolve.mpi import object_to_mpi_v1
from trainshed.resolve.objections import Objection, Weight
from trainshed.resolve.parallel import can_start_smaller
from trainshed.resolve.queueing import object_to_queue
from trainshed.resolve.rendezvous import object_to_rendezvous
from trainshed.resolve.restarts import object_to_restarts
from trainshed.resolve.success import object_to_success
from trainshed.resolve.sweep import count_points, object_to_sweep
from trainshed.resolve.wishes import NEEDS, WISHES, honouring, name_kinds

PREFERRED: Mapping[str, tuple[Backend, ...]] = {
    "generic": (Backend.JOB, Backend.JOBSET, Backend.VOLCANOJOB),
    "pytorch": (Backend.JOB, Backend.PYTORCHJOB, Backend.TRAINJOB, Backend.JOBSET, Backend.VOLCANOJOB),
    "tensorflow": (Backend.JOB, Backend.TFJOB),
    "jax": (Backend.JOB, Backend.JAXJOB, Backend.TRAINJOB, Backend.JOBSET),
    "xgboost": (Backend.JOB, Backend.XGBOOSTJOB, Backend.TRAINJOB),
    "lightgbm": (Backend.JOB, Backend.XGBOOSTJOB),
    "paddle": (Backend.JOB, Backend.PADDLEJOB),
    "mpi": (Backend.MPIJOB, Backend.MPIJOB_V1),
    "horovod": (Backend.MPIJOB, Backend.MPIJOB_V1),
    "ray": (Backend.RAYJOB,),
}
"""What `backend: auto` tries, in order: the first that can carry the job and all of its wishes."""

INDEPENDENT = frozenset({"generic", "lightgbm"})
"""Frameworks whose pods need not find one another, so that a Job can hold several."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a job is, before its kind is known."""

    least: int
    most: int
    roles: tuple[str, ...]
    scheduled: bool

    @property
    def several(self) -> bool:
        """Whether it may have more than one pod."""
        return self.most > 1 or bool(self.roles)

    @property
    def elastic(self) -> bool:
        """Whether it may go on with fewer pods than it starts with."""
        return self.least != self.most


@dataclass(frozen=True, slots=True)
class Choice:
    """The kind, and why it is that one, a sentence each."""

    backend: Backend
    why: tuple[str, ...]


def choose_backend(draft: Draft, shape: Shape) -> Choice:
    """The kind for the job's framework, size, schedule and wishes; what stands against it is left as findings."""
    wanted = draft.body.backend or "auto"
    framework = draft.body.framework or "generic"
    candidates = PREFERRED[framework] if wanted == "auto" else _spelled(draft, wanted)
    if shape.scheduled:
        candidates = tuple(Backend.CRONJOB if kind is Backend.JOB else kind for kind in candidates)
    objections = {kind: tuple(_objections(draft, kind, shape)) for kind in candidates}
    chosen = min(candidates, key=lambda kind: max((each.weight for each in objections[kind]), default=0))
    for objection in objections[chosen]:
        draft.refuse(objection.code, objection.field, objection.summary, objection.advice)
    return Choice(chosen, tuple(_why(draft, chosen, objections, shape)))


def _spelled(draft: Draft, word: str) -> tuple[Backend, ...]:
    """The kinds that a word stands for: which MPIJob a cluster has depends on its operators."""
    if word == Backend.MPIJOB and "mpi-operator" not in draft.cluster.operators:
        return (Backend.MPIJOB_V1 if "training-operator" in draft.cluster.operators else Backend.MPIJOB,)
    return (Backend(word),)


def _why(
    draft: Draft, chosen: Backend, objections: Mapping[Backend, tuple[Objection, ...]], shape: Shape
) -> Iterator[str]:
    if (draft.body.backend or "auto") != "auto":
        yield f"{chosen.noun}, as backend: {draft.body.backend} says at {draft.source('backend')}"
        return
    size = (
        f"{shape.least} to {shape.most} nodes"
        if shape.elastic
        else f"{shape.most} node{'s' * (shape.most > 1)}"
    )
    size = f"roles {', '.join(shape.roles)}" if shape.roles else size
    yield (
        f"{chosen.noun}: framework {draft.body.framework or 'generic'}, {size}{', by schedule' * shape.scheduled}"
    )
    for kind, raised in objections.items():
        if kind is chosen:
            return
        yield f"not {kind.noun}: {raised[0].summary}"


def _objections(draft: Draft, kind: Backend, shape: Shape) -> Iterator[Objection]:
    yield from _object_to_shape(draft, kind, shape)
    yield from _object_to_operator(draft, kind)
    yield from object_to_queue(draft, kind)
    yield from object_to_gang(draft, kind)
    yield from object_to_mpi_v1(draft, kind)
    yield from _object_to_wishes(draft, kind, shape)
    yield from object_to_restarts(draft, kind, shape.elastic)
    yield from object_to_launcher(draft, kind)
    yield from object_to_rendezvous(draft, kind, shape.elastic)
    yield from object_to_sweep(draft, several=shape.several)
    yield from object_to_success(draft, kind, count_points(draft) or shape.most, shape.roles)


def _object_to_shape(draft: Draft, kind: Backend, shape: Shape) -> Iterator[Objection]:
    framework = draft.body.framework or "generic"
    carrier = kind.carrier
    if framework not in carrier.frameworks:
        able = name_kinds(PREFERRED[framework])
        field = draft.kind_field
        yield Objection(
            Weight.SHAPE,
            Code.BACKEND_CANNOT,
            field,
            f"{kind.noun} does not run framework {framework}",
            f"write backend: {able}, or leave it out",
        )
    elif shape.several and kind.is_alone and framework not in INDEPENDENT:
        yield Objection(
            Weight.SHAPE,
            Code.BACKEND_CANNOT,
            draft.size_field,
            f"{kind.noun} runs framework {framework} on one node, this job asks for several",
            _way_out(shape, framework),
        )
    elif shape.elastic and not carrier.elastic and not (kind.is_alone and can_start_smaller(draft)):
        yield Objection(
            Weight.RANGE,
            Code.BACKEND_CANNOT,
            draft.size_field,
            f"{kind.noun} cannot go on with fewer nodes than it starts with",
            f"write nodes: {shape.most}, {_way_to_fewer(kind)}",
        )
    if shape.scheduled and kind is not Backend.CRONJOB:
        yield Objection(
            Weight.SHAPE,
            Code.BACKEND_CANNOT,
            ("schedule",),
            f"{kind.noun} cannot be scheduled",
            "a job on one node can, as a CronJob: write nodes: 1 and leave the backend out",
        )


def _way_to_fewer(kind: Backend) -> str:
    """A Job may start with fewer pods where its queue allows it; other kinds are elastic or not."""
    if kind.is_alone:
        return "or let the job wait in a queue of Kueue, which starts it with fewer where there is no room"
    return f"or take a kind that can: {name_kinds(kind for kind, other in CARRIERS.items() if other.elastic)}"


def _way_out(shape: Shape, framework: str) -> str:
    if shape.scheduled:
        return "a CronJob holds one node: write nodes: 1, with more GPUs on it"
    able = [kind for kind in PREFERRED[framework] if kind is not Backend.JOB]
    return f"write backend: {name_kinds(able)}, leave it out, or write nodes: 1"


def _object_to_operator(draft: Draft, kind: Backend) -> Iterator[Objection]:
    name = kind.carrier.operator
    if not name:
        return
    field = draft.kind_field
    installed = draft.cluster.operators.get(name)
    if installed is None:
        yield Objection(
            Weight.MISSING,
            Code.MISSING_OPERATOR,
            field,
            f'cluster "{draft.cluster.name}" has no {name}, which {kind.noun} needs',
            f"write operators: {{{name}: …}} in {draft.cluster.source.path}, or run on another cluster",
        )
        return
    release = release_on(draft.cluster, name)
    if installed.kinds and kind.kind.lower() not in map(str.lower, installed.kinds):
        yield Objection(
            Weight.MISSING,
            Code.RELEASE_LACKS,
            field,
            f"{name} on {draft.cluster.name} is told not to serve {kind.kind}",
            f"add {kind.kind} to its kinds, beside {installed.source}",
        )
    elif release is not None and release.serves(kind.kind) is None:
        yield Objection(
            Weight.MISSING,
            Code.RELEASE_LACKS,
            field,
            f"{name} {installed.release} on {draft.cluster.name} does not serve {kind.kind}",
            f"raise the release at {installed.source}",
        )


def _object_to_wishes(draft: Draft, kind: Backend, shape: Shape) -> Iterator[Objection]:
    for wish in WISHES:
        if kind not in wish.honoured_by and draft.sources.has(*wish.field):
            word = ".".join(wish.field)
            yield Objection(
                Weight.WISH,
                Code.BACKEND_CANNOT,
                wish.field,
                f"{kind.noun} cannot honour {word}",
                f"{wish.advice}{_able(draft, wish.field, shape)}",
            )
    for need in NEEDS:
        installed = draft.cluster.operators.get(need.operator)
        release = release_on(draft.cluster, need.operator)
        if (
            kind in need.kinds
            and draft.sources.has(*need.field)
            and installed
            and release
            and need.feature not in release.features
        ):
            word = ".".join(need.field)
            yield Objection(
                Weight.WISH,
                Code.RELEASE_LACKS,
                need.field,
                f"{need.operator} {installed.release} on {draft.cluster.name} cannot honour {word}",
                f"raise the release at {installed.source}, or leave {word} out",
            )


def _able(draft: Draft, field: tuple[str, ...], shape: Shape) -> str:
    """The kinds that could carry this framework, at this size, and honour the field."""
    framework = draft.body.framework or "generic"
    able = [
        kind
        for kind in honouring(field)
        if framework in kind.carrier.frameworks
        and kind is not Backend.CRONJOB
        and not any(each.weight >= Weight.RANGE for each in _object_to_shape(draft, kind, shape))
    ]
    return f"; backend: {name_kinds(able)} can honour it" if able else ""
