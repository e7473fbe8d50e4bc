"""Resource by resource: what each team asks of each queue before and after, and what there is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from trainshed.model.asks import Amount, Ask, Hours, Level, Place, Quota, Side
from trainshed.model.gpus import is_gpu
from trainshed.model.plan import Plan

HOST_RESOURCES = ("cpu", "memory")
"""What is shown where no GPUs are asked for: with GPUs, they follow from these."""


class Spot(NamedTuple):
    """A team at a queue's flavor, or at a pool."""

    team: str
    cluster: str
    queue: str
    flavor: str


def measure_levels(before: Side, after: Side, plan: Plan) -> list[Level]:
    """Cluster by cluster, team by team, in the order in which queues try their flavors."""
    sums = _sum(before), _sum(after)
    quotas = tuple({quota.place: quota for quota in side.quotas} for side in (before, after))
    asked = {key for side in sums for key in side}
    owned = {(quota.team, place) for side in quotas for place, quota in side.items() if quota.team}
    asking = {place for _, place in asked}
    keys = asked | {(team, place) for team, place in owned if place not in asking}
    levels = [_level(team, place, sums, quotas, plan) for team, place in keys]
    order = {
        (cluster.name, pool): at
        for cluster in plan.clusters.values()
        for at, pool in enumerate(cluster.pools)
    }

    def rank(level: Level) -> tuple[str, str, str, int, str, str]:
        place = level.place
        at = order.get((place.cluster, place.flavor), len(order))
        return place.cluster, level.team, place.queue, at, place.flavor, _gpus_first(place.resource)

    return sorted(_worth_showing(levels, (before, after)), key=rank)


def _gpus_first(resource: str) -> str:
    return resource if not is_gpu(resource) else f" {resource}"


class Sum(NamedTuple):
    """What one team asks for at a place, and how long."""

    amount: Amount
    hours: Hours
    sample: Ask


def _sum(side: Side) -> dict[tuple[str, Place], Sum]:
    sums: dict[tuple[str, Place], Sum] = {}
    for ask in side.asks:
        for share in ask.shares:
            known = sums.get((ask.team, share.place), Sum(Amount(), Hours(), ask))
            hours = None if ask.seconds is None else share.most * ask.seconds / 3600
            sums[ask.team, share.place] = Sum(known.amount.plus(share), known.hours.plus(hours), known.sample)
    return sums


def _level(
    team: str,
    place: Place,
    sums: tuple[Mapping[tuple[str, Place], Sum], ...],
    quotas: tuple[Mapping[Place, Quota], ...],
    plan: Plan,
) -> Level:
    asked = [side.get((team, place)) for side in sums]
    found = [side.get(place) for side in quotas]
    cluster = plan.clusters.get(place.cluster)
    pool = cluster.pools.get(place.flavor) if cluster else None
    samples = [one.sample for one in asked if one]
    amounts = [one.amount if one else Amount() for one in asked]
    hours = [one.hours if one else Hours() for one in asked]
    return Level(
        team=team,
        place=place,
        ledger=next(one.ledger for one in (found[1], found[0], *samples) if one),
        cohort=next((one.cohort for one in reversed(found) if one), ""),
        accelerator=str(pool.gpus) if pool and pool.gpus and pool.gpus.resource == place.resource else "",
        before=amounts[0],
        after=amounts[1],
        nominal=(found[0] and found[0].nominal, found[1] and found[1].nominal),
        ceiling=(found[0] and found[0].ceiling, found[1] and found[1].ceiling),
        hours=(hours[0], hours[1]) if is_gpu(place.resource) else None,
    )


def _worth_showing(levels: Iterable[Level], sides: tuple[Side, Side]) -> Iterator[Level]:
    """GPUs where there are any or some are asked for; CPU and memory where runs without GPUs ask for them."""
    without_gpus = {
        (ask.team, share.place)
        for side in sides
        for ask in side.asks
        if not any(is_gpu(share.place.resource) for share in ask.shares)
        for share in ask.shares
    }
    by_spot: defaultdict[Spot, list[Level]] = defaultdict(list)
    for level in levels:
        place = level.place
        by_spot[Spot(level.team, place.cluster, place.queue, place.flavor)].append(level)
    for here in by_spot.values():
        gpus = [level for level in here if is_gpu(level.place.resource) and _is_there(level)]
        yield from gpus
        gpus_are_over = any(level.is_over for level in gpus)
        for level in here:
            is_asked = bool(level.before.most or level.after.most)
            is_said = bool(gpus) and (level.team, level.place) not in without_gpus
            is_scarce = level.is_over and not gpus_are_over
            if level.place.resource in HOST_RESOURCES and is_asked and (is_scarce or not is_said):
                yield level


def _is_there(level: Level) -> bool:
    return any((level.before.most, level.after.most, *level.nominal, *level.ceiling))
