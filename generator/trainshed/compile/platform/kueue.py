"""Kueue: a flavor for each pool, a queue or two for each team, one cohort, priorities, the nodes' topology."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from trainshed.catalog.installed import release_of
from trainshed.compile.amounts import format_amount
from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.plain import toleration, without_empty
from trainshed.model.catalog import Taint
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.source import Source
from trainshed.model.team import PoolQuota, TeamOnCluster

TOPOLOGY = "default"
"""The one topology of a cluster."""

WORDS: Mapping[str, str] = {
    "never": "Never",
    "any": "Any",
    "lower-priority": "LowerPriority",
    "lower-or-newer-equal-priority": "LowerOrNewerEqualPriority",
}
"""Kueue's words for whom a run may drive out."""

COHORT_FIELD: Mapping[str, str] = {"kueue.x-k8s.io/v1beta1": "cohort", "kueue.x-k8s.io/v1beta2": "cohortName"}


def queue_version(cluster: Cluster) -> str:
    """The newest API version of ClusterQueue that the cluster's Kueue serves."""
    served = release_of(cluster.operators["kueue"]).serves("ClusterQueue")
    return served.api_version if served else "kueue.x-k8s.io/v1beta2"


def queue_objects(cluster: Cluster, teams: Iterable[TeamOnCluster]) -> Iterator[tuple[JsonObject, Source]]:
    """Everything that Kueue needs to know of a cluster, and the line that asks for it."""
    if cluster.has_kueue:
        yield from _topology(cluster)
        yield from _flavors(cluster)
        yield from _priorities(cluster)
        yield from _cohort(cluster)
        yield from _queues(cluster, teams)


def _object(cluster: Cluster, kind: str, name: str, **fields: JsonObject | str | int) -> JsonObject:
    metadata = {"name": name, "labels": dict(MANAGED_BY)}
    return {"apiVersion": queue_version(cluster), "kind": kind, "metadata": metadata, **fields}


def _topology(cluster: Cluster) -> Iterator[tuple[JsonObject, Source]]:
    levels = [{"nodeLabel": level.label} for level in cluster.topology]
    if levels:
        yield (
            _object(cluster, "Topology", TOPOLOGY, spec={"levels": levels}),
            cluster.sources.find("topology"),
        )


def _flavors(cluster: Cluster) -> Iterator[tuple[JsonObject, Source]]:
    """A flavor says which nodes it means, guards them by their taints, and lets its own pods through."""
    for pool in cluster.pools.values():
        spec = without_empty(
            {
                "nodeLabels": dict(pool.labels),
                "nodeTaints": [_taint(taint) for taint in pool.taints],
                "tolerations": [toleration(taint) for taint in pool.taints],
                "topologyName": TOPOLOGY if cluster.topology else "",
            }
        )
        yield _object(cluster, "ResourceFlavor", pool.name, spec=spec), pool.source


def _taint(taint: Taint) -> JsonObject:
    return without_empty({"key": taint.key, "value": taint.value, "effect": taint.effect})


def _priorities(cluster: Cluster) -> Iterator[tuple[JsonObject, Source]]:
    for name, value in cluster.priorities.items():
        source = cluster.sources.find("priorities", name)
        yield (
            _object(
                cluster, "WorkloadPriorityClass", name, value=value, description=f"trainshed priority {name}"
            ),
            source,
        )


def _cohort(cluster: Cluster) -> Iterator[tuple[JsonObject, Source]]:
    if cluster.cohort:
        body = _object(cluster, "Cohort", cluster.cohort)
        yield body, cluster.sources.find("cohort")


def _queues(cluster: Cluster, teams: Iterable[TeamOnCluster]) -> Iterator[tuple[JsonObject, Source]]:
    for team in teams:
        for name, quotas in team.queues.items():
            shared = name == team.queue and bool(cluster.cohort)
            sharing = _sharing(cluster, team) if name == team.queue else _keeping()
            spec = {**sharing, **_capacity(team, quotas.values(), cohort=shared)}
            yield _object(cluster, "ClusterQueue", name, spec=spec), team.source


def _keeping() -> JsonObject:
    """What is guaranteed stands outside of the cohort: nobody borrows it, so nobody has to give it back."""
    return {"preemption": {"withinClusterQueue": "Never", "reclaimWithinCohort": "Never"}}


def _sharing(cluster: Cluster, team: TeamOnCluster) -> JsonObject:
    """The cohort, the team's weight in it, and whom its runs may drive out."""
    preemption, sharing = cluster.sharing.preemption, cluster.sharing
    borrowing = {
        "policy": WORDS[preemption.borrowing],
        "maxPriorityThreshold": preemption.borrowing_below,
    }
    return without_empty(
        {
            COHORT_FIELD[queue_version(cluster)]: cluster.cohort,
            "fairSharing": {"weight": str(team.weight)} if sharing.fair else {},
            "preemption": without_empty(
                {
                    "withinClusterQueue": WORDS[preemption.within_queue],
                    "reclaimWithinCohort": WORDS[preemption.reclaim],
                    "borrowWithinCohort": without_empty(borrowing) if preemption.borrowing != "never" else {},
                }
            ),
        }
    )


def _capacity(team: TeamOnCluster, quotas: Iterable[PoolQuota], *, cohort: bool) -> JsonObject:
    """One resource group: CPU in a group of its own would pin GPU pods to CPU nodes."""
    namespaces = list(team.all_namespaces)
    order = {name: place for place, name in enumerate(team.cluster.pools)}
    # Machines without GPUs first, so that pods without GPUs do not fill those with; then as the cluster lists them.
    ordered = sorted(quotas, key=lambda quota: (bool(quota.pool.gpus_per_node), order[quota.pool.name]))
    covered = covered_resources(ordered)
    return {
        "namespaceSelector": {
            "matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces},
            ]
        },
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [
            {
                "coveredResources": covered,
                "flavors": [
                    {
                        "name": quota.pool.name,
                        "resources": [_quota(quota, name, cohort=cohort) for name in covered],
                    }
                    for quota in ordered
                ],
            }
        ],
    }


def covered_resources(quotas: Iterable[PoolQuota]) -> list[str]:
    """Every resource that pods may ask for in these pools: what a queue does not cover is never admitted."""
    resources: list[str] = ["cpu", "memory"]
    for quota in quotas:
        resources += [name for name in quota.pool.resources if name not in resources]
    return resources


def _quota(quota: PoolQuota, resource: str, *, cohort: bool) -> JsonObject:
    """A resource's part of the quota. Kueue takes limits on borrowing and lending in a cohort only."""
    per_node = quota.pool.resources.get(resource, Fraction(0))

    def amount(nodes: Fraction | None) -> str:
        return "" if nodes is None else format_amount(resource, nodes * per_node)

    limits = {"borrowingLimit": amount(quota.borrow_nodes), "lendingLimit": amount(quota.lend_nodes)}
    return {
        "name": resource,
        "nominalQuota": amount(quota.nodes),
        **(without_empty(limits) if cohort else {}),
    }
