"""Sealed runs that somebody wants rendered anew, under their name."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from trainshed.model.endings import one_line
from trainshed.model.manifest import AppId
from trainshed.model.plan import Plan, Target
from trainshed.model.seal import SealedRun, SealedRuns
from trainshed.model.selection import SelectionError
from trainshed.model.suggest import did_you_mean


def find_runs(name: str, cluster: str | None, plan: Plan, sealed: SealedRuns) -> tuple[SealedRun, ...]:
    """The sealed runs of that name that can be rendered anew, on one cluster or on all.

    Raises:
        SelectionError: there is none, or nothing of it is to be rendered: it is over, or its spec asks for another.

    """
    runs = [pair for pair in _runs(plan, sealed) if cluster in (None, pair[0].cluster.name)]
    named = [pair for pair in runs if pair[1].seal.run == name]
    if not named:
        where = f' on cluster "{cluster}"' if cluster else ""
        advice = did_you_mean(name, {run.seal.run for _, run in runs})
        raise SelectionError(f'there is no sealed run "{name}"{where}', advice)
    refused = [_refuse(target, run) for target, run in named]
    found = tuple(run for (_, run), wrong in zip(named, refused, strict=True) if wrong is None)
    if not found:
        raise next(wrong for wrong in refused if wrong is not None)
    return found


def with_reason(runs: Iterable[SealedRun], why: str) -> tuple[SealedRun, ...]:
    """The runs with one more reason for which they were rendered anew."""
    reason = one_line(why)
    return tuple(
        replace(run, seal=replace(run.seal, resealed=(*run.seal.resealed, reason)), renewed=True)
        for run in runs
    )


def _runs(plan: Plan, sealed: SealedRuns) -> Iterator[tuple[Target, SealedRun]]:
    for target in plan.targets:
        yield from ((target, run) for run in sealed.get(AppId(target.cluster.name, target.app), ()))


def _refuse(target: Target, run: SealedRun) -> SelectionError | None:
    """Why the run cannot be rendered anew, and what to do instead."""
    name, cluster, seal = run.seal.run, target.cluster.name, run.seal
    again = f"`attempt: {seal.attempt + 1}` in {target.path} runs the same job again, with today's defaults"
    if seal.outcome is not None:
        return SelectionError(f"{name} has ended on {cluster} and is archived", again)
    if target.run != name:
        return SelectionError(
            f"{name} is not what {target.path} asks for on {cluster}, which is {target.run}",
            "nothing can make it again: it stays as it was sealed, or goes with the next render",
        )
    if seal.stopped or target.stopped:
        running = f"`state: running` in {target.path} renders it anew, with today's defaults"
        return SelectionError(f"{name} is stopped on {cluster}", running)
    return None
