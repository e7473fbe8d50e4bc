"""The engine's answer about one side of one cluster, as asks and quotas."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from trainshed.engine.asks import Lacking, Line, PodsAsked, Workload
from trainshed.model.asks import Ask, Place, Quota, Share, Short, Side, Verdict
from trainshed.model.manifest import JsonObject
from trainshed.model.secrets import hide_secrets
from trainshed.validate.asks.bodies import owner_of, read_seconds, read_sizes, volcano_queue
from trainshed.validate.asks.gather import Gathered
from trainshed.validate.asks.quotas import (
    kueue_quotas,
    pool_quotas,
    teams_by_namespace,
    teams_by_queue,
    volcano_quotas,
)
from trainshed.validate.asks.rooms import Rooms
from trainshed.validate.policy.reading.values import amount
from trainshed.validate.view import Member

UNCOUNTED = frozenset({"ephemeral-storage"})
"""What no queue and no pool of ours counts."""


def read_side(gathered: Gathered, line: Line) -> Side:
    """What is asked for, in line, and what there is."""
    by_queue = teams_by_queue(gathered.teams)
    quotas = [
        *kueue_quotas(gathered.name, line.quotas, by_queue),
        *volcano_quotas(gathered.name, gathered.members, by_queue),
        *(pool_quotas(gathered.cluster) if gathered.cluster else ()),
    ]
    return Side(tuple(_asks(gathered, line, quotas)), tuple(quotas))


def _asks(gathered: Gathered, line: Line, quotas: list[Quota]) -> Iterator[Ask]:
    rooms = Rooms({quota.place: quota for quota in quotas})
    groups = {
        (one.namespace, one.identity.name): one.body
        for one in gathered.members
        if one.identity.kind == "PodGroup"
    }
    teams = teams_by_namespace(gathered.teams)
    for workload in line.workloads:
        member = gathered.members[workload.index]
        if workload.queue:
            yield _queued(gathered.name, member, workload, teams)
        elif workload.pods:
            yield _unqueued(gathered.name, member, workload, groups, rooms, teams)


def _queued(cluster: str, member: Member, workload: Workload, teams: Mapping[str, str]) -> Ask:
    """A run that waits in a queue of Kueue, whose scheduler has looked at it."""
    shares = [
        _share(member.body, pods, resource, Place(cluster, workload.queue, pods.flavors[resource], resource))
        for pods in workload.pods
        for resource in pods.requests
    ]
    team, job = owner_of(member.body, teams)
    return Ask(
        cluster=cluster,
        team=team,
        job=job,
        path=member.path,
        identity=member.identity,
        ledger="kueue",
        queue=workload.queue,
        shares=_merge(shares),
        seconds=read_seconds(member.body),
        verdict=Verdict(workload.verdict),
        reason=hide_secrets(workload.reason),
        short=_short(cluster, workload.queue, workload.lacking) if workload.lacking else None,
    )


def _short(cluster: str, queue: str, lacking: Lacking) -> Short:
    place = Place(cluster, queue, lacking.flavor, lacking.resource)
    return Short(place, amount(lacking.asked), amount(lacking.free))


def _unqueued(
    cluster: str,
    member: Member,
    workload: Workload,
    groups: Mapping[tuple[str, str], JsonObject],
    rooms: Rooms,
    teams: Mapping[str, str],
) -> Ask:
    """A run that Volcano counts in a queue, or that takes what nodes are free."""
    named = next(filter(None, (pods.queue for pods in workload.pods)), "")
    queue = named or volcano_queue(member.body, groups)
    shares = _merge(
        [share for pods in workload.pods for share in _place(cluster, queue, member.body, pods, rooms)]
    )
    verdict, short = rooms.take(shares)
    team, job = owner_of(member.body, teams)
    return Ask(
        cluster=cluster,
        team=team,
        job=job,
        path=member.path,
        identity=member.identity,
        ledger="volcano" if queue else "pool",
        queue=queue,
        shares=shares,
        seconds=read_seconds(member.body),
        verdict=verdict,
        short=short,
    )


def _place(cluster: str, queue: str, body: JsonObject, pods: PodsAsked, rooms: Rooms) -> tuple[Share, ...]:
    """Like pods in their queue, which counts over all pools, or in a pool that they may go to."""
    pools = [""] if queue else pods.pools or [""]
    return rooms.choose(
        [
            tuple(
                _share(body, pods, resource, Place(cluster, queue, pool, resource))
                for resource in pods.requests
                if resource not in UNCOUNTED
            )
            for pool in pools
        ]
    )


def _share(body: JsonObject, pods: PodsAsked, resource: str, place: Place) -> Share:
    asked = amount(pods.requests[resource])
    least, most = read_sizes(body, pods)
    return Share(place, asked, asked * least, asked * most)


def _merge(shares: list[Share]) -> tuple[Share, ...]:
    """One share a place; none of nothing."""
    merged: dict[Place, Share] = {}
    for share in shares:
        known = merged.get(share.place, Share(share.place, Fraction(0), Fraction(0), Fraction(0)))
        merged[share.place] = Share(
            share.place, known.asked + share.asked, known.least + share.least, known.most + share.most
        )
    return tuple(sorted((share for share in merged.values() if share.most), key=_devices_first))


def _devices_first(share: Share) -> tuple[bool, Place]:
    """CPU and memory follow from GPUs, so that people look at these first."""
    return share.place.resource in ("cpu", "memory"), share.place
