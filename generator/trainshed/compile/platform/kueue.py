"""Kueue: a flavor for each pool, a queue for each team, one cohort, priorities."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from constructs import Construct

from trainshed.catalog import fabrics, operators
from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.objects import PlainObject
from trainshed.compile.plain import without_empty
from trainshed.model.catalog import Taint
from trainshed.model.cluster import Cluster, Pool
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.quantity import format_binary, format_decimal, parse_quantity
from trainshed.model.source import Source
from trainshed.model.team import PoolQuota, TeamOnCluster

COHORT_FIELD: Mapping[str, str] = {"kueue.x-k8s.io/v1beta1": "cohort", "kueue.x-k8s.io/v1beta2": "cohortName"}


def queue_version(cluster: Cluster) -> str:
    """The newest API version of ClusterQueue that the cluster's Kueue serves."""
    installed = cluster.operators["kueue"]
    release = operators()["kueue"].releases.get(installed.release) or operators()["kueue"].newest
    served = release.serves("ClusterQueue")
    return served.api_version if served else "kueue.x-k8s.io/v1beta2"


def queue_objects(scope: Construct, cluster: Cluster, teams: Iterable[TeamOnCluster]) -> list[PlainObject]:
    """Everything of the cluster's app `queues`."""
    bodies = [*_flavors(cluster), *_priorities(cluster), *_cohort(cluster), *_queues(cluster, teams)]
    return [
        PlainObject(scope, f"o{index}", body, Origins(source)) for index, (body, source) in enumerate(bodies)
    ]


def _object(cluster: Cluster, kind: str, name: str, **fields: JsonObject | str | int) -> JsonObject:
    metadata = {"name": name, "labels": dict(MANAGED_BY)}
    return {"apiVersion": queue_version(cluster), "kind": kind, "metadata": metadata, **fields}


def _flavors(cluster: Cluster) -> Iterator[tuple[JsonObject, Source]]:
    """A flavor says which nodes it means, guards them by their taints, and lets its own pods through."""
    for pool in cluster.pools.values():
        spec = without_empty(
            {
                "nodeLabels": dict(pool.labels),
                "nodeTaints": [_taint(taint) for taint in pool.taints],
                "tolerations": [_toleration(taint) for taint in pool.taints],
            }
        )
        yield _object(cluster, "ResourceFlavor", pool.name, spec=spec), pool.source


def _taint(taint: Taint) -> JsonObject:
    return without_empty({"key": taint.key, "value": taint.value, "effect": taint.effect})


def _toleration(taint: Taint) -> JsonObject:
    how = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    return {"key": taint.key, "effect": taint.effect, **how}


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
        if team.queue:
            yield _object(cluster, "ClusterQueue", team.queue, spec=_queue_spec(cluster, team)), team.source


def _queue_spec(cluster: Cluster, team: TeamOnCluster) -> JsonObject:
    """One resource group: CPU in a group of its own would pin GPU pods to CPU nodes."""
    namespaces = [namespace for namespace in (team.namespace, team.privileged_namespace) if namespace]
    covered = covered_resources(team.quotas.values())
    return without_empty(
        {
            COHORT_FIELD[queue_version(cluster)]: cluster.cohort,
            "namespaceSelector": {
                "matchExpressions": [
                    {"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces},
                ]
            },
            "queueingStrategy": "BestEffortFIFO",
            "preemption": {
                "withinClusterQueue": "LowerPriority",
                "reclaimWithinCohort": "Any" if cluster.cohort else "Never",
            },
            "resourceGroups": [
                {
                    "coveredResources": covered,
                    "flavors": [
                        {
                            "name": quota.pool.name,
                            "resources": [_quota(quota, name, cluster) for name in covered],
                        }
                        for quota in sorted(team.quotas.values(), key=_flavor_order)
                    ],
                }
            ],
        }
    )


def _flavor_order(quota: PoolQuota) -> tuple[bool, bool, str]:
    """Machines without GPUs first, so that pods without GPUs do not fill those with; then on-demand before spot."""
    return bool(quota.pool.gpus_per_node), quota.pool.capacity == "spot", quota.pool.name


def covered_resources(quotas: Iterable[PoolQuota]) -> list[str]:
    """Every resource that pods may ask for in these pools: what a queue does not cover is never admitted."""
    resources: list[str] = ["cpu", "memory"]
    for quota in quotas:
        resources += [name for name in node_resources(quota.pool) if name not in resources]
    return resources


def node_resources(pool: Pool) -> dict[str, Fraction]:
    """What one node of the pool brings into a quota, by resource."""
    machine = pool.machine
    amounts = {
        "cpu": Fraction(pool.share.cpu_millicores, 1000),
        "memory": Fraction(pool.share.memory_bytes),
    }
    if machine.accelerator:
        amounts[machine.accelerator.resource] = Fraction(machine.accelerator.count)
    fabric = fabrics().get(machine.fabric.name) if machine.fabric else None
    if machine.fabric and fabric and fabric.carried and fabric.resource:
        amounts[fabric.resource] = Fraction(machine.fabric.devices)
        amounts |= {name: parse_quantity(quantity) for name, quantity in fabric.extra_resources.items()}
    return amounts


def _quota(quota: PoolQuota, resource: str, cluster: Cluster) -> JsonObject:
    per_node = node_resources(quota.pool).get(resource, Fraction(0))

    def amount(nodes: Fraction) -> str:
        return _format_amount(resource, nodes * per_node)

    return without_empty(
        {
            "name": resource,
            "nominalQuota": amount(quota.nodes),
            "borrowingLimit": amount(quota.borrow_nodes)
            if quota.borrow_nodes is not None and cluster.cohort
            else None,
            "lendingLimit": amount(quota.lend_nodes)
            if quota.lend_nodes is not None and cluster.cohort
            else None,
        }
    )


def _format_amount(resource: str, amount: Fraction) -> str:
    """Bytes and devices are whole; CPUs go by the thousandth, or a job that fills a node would never be admitted."""
    if resource == "memory" or resource.startswith("hugepages-"):
        return format_binary(int(amount))
    return format_decimal(Fraction(int(amount * 1000), 1000) if resource == "cpu" else int(amount))
