"""Pods that do not talk to each other: how many run at once, and where each of them saves."""

from msgspec.structs import replace

from trainshed.catalog.installed import release_on
from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.contract import INDEX_VARIABLE
from trainshed.model.pods import PodGroup
from trainshed.model.sweep import Sweep
from trainshed.resolve.draft import Draft


def spread(draft: Draft, groups: tuple[PodGroup, ...], sweep: Sweep | None) -> tuple[PodGroup, ...]:
    """The pods of a sweep: as many as run at once."""
    if sweep is None:
        return groups
    parallel = draft.body.sweep.parallel if draft.body.sweep else None
    points = max(len(sweep.points), 1)
    most = min((parallel and parallel.max) or points, points)
    least = (parallel and parallel.min) or most
    if least > most:
        draft.refuse(
            Code.INVERTED_RANGE,
            ("sweep", "parallel", "min"),
            f"at least {least} and at most {most} points at once",
            "write less",
        )
    elif least < most and not can_start_smaller(draft):
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("sweep", "parallel", "min"),
            "only a queue of Kueue can start a sweep with fewer pods than it asks for",
            f"write parallel: {most}, or let the job wait in a queue",
        )
    return tuple(replace(group, min_pods=min(least, most), max_pods=most) for group in groups)


def can_start_smaller(draft: Draft) -> bool:
    """Whether the job waits in a queue that can start a Job with fewer pods where there is no room for all."""
    if draft.body.queue == "none" or not draft.team.queue:
        return False
    kueue = release_on(draft.cluster, "kueue")
    return kueue is not None and kueue.can("partial-admission")


def own_folder(backend: Backend, *, indexed: bool, shared: bool) -> str:
    """What the pods of a schedule and of a Job append to a directory, so that no two write to the same one.

    `shared`: the firings of a schedule go on where the last one stopped.
    """
    firing = "/$(TRAINSHED_FIRING)" if backend is Backend.CRONJOB and not shared else ""
    return f"{firing}/$({INDEX_VARIABLE})" if backend.is_alone and indexed else firing
