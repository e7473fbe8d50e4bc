"""What there is of each resource: in Kueue's queues, in Volcano's, and on the nodes of pools where there are none."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from trainshed.engine.asks import QueueQuota
from trainshed.model.asks import Place, Quota
from trainshed.model.cluster import Cluster
from trainshed.model.quantity import parse_quantity
from trainshed.model.team import TeamOnCluster
from trainshed.validate.policy.reading.values import amount, map_at
from trainshed.validate.view import Member

VOLCANO = "scheduling.volcano.sh/"


def kueue_quotas(cluster: str, quotas: Iterable[QueueQuota], teams: Mapping[str, str]) -> Iterator[Quota]:
    """As Kueue itself has worked them out; `teams` are by queue."""
    for one in quotas:
        yield Quota(
            place=Place(cluster, one.queue, one.flavor, one.resource),
            ledger="kueue",
            team=teams.get(one.queue, ""),
            cohort=one.cohort,
            nominal=parse_quantity(one.nominal) if one.nominal else None,
            ceiling=parse_quantity(one.ceiling) if one.ceiling else None,
        )


def volcano_quotas(cluster: str, members: Iterable[Member], teams: Mapping[str, str]) -> Iterator[Quota]:
    """What a queue deserves is its own, and what it is capable of the most that it can hold."""
    for member in members:
        identity = member.identity
        if identity.kind != "Queue" or not identity.api_version.startswith(VOLCANO):
            continue
        deserved, capable = (map_at(member.body, "spec", field) for field in ("deserved", "capability"))
        for resource in sorted(deserved | capable):
            yield Quota(
                place=Place(cluster, identity.name, "", resource),
                ledger="volcano",
                team=teams.get(identity.name, ""),
                cohort="",
                nominal=amount(deserved[resource]) if resource in deserved else None,
                ceiling=amount(capable[resource]) if resource in capable else None,
            )


def pool_quotas(cluster: Cluster) -> Iterator[Quota]:
    """All that a pool's nodes offer: for whoever comes."""
    for pool in cluster.pools.values():
        for resource, each in pool.resources.items():
            place = Place(cluster.name, "", pool.name, resource)
            yield Quota(place, "pool", "", "", None, Fraction(each * pool.nodes))


def teams_by_queue(teams: Iterable[TeamOnCluster]) -> dict[str, str]:
    """Whose each queue is, of Kueue and of Volcano."""
    return {queue: team.name for team in teams for queue in (team.volcano_queue, *team.queues)}


def teams_by_namespace(teams: Iterable[TeamOnCluster]) -> dict[str, str]:
    """Whose each namespace is."""
    return {namespace: team.name for team in teams for namespace in team.all_namespaces}
