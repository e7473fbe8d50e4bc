"""The nodes of a cluster as its pools promise them, for judges who look where pods would go.

Git knows how many machines there are, not how they are wired. So all nodes of a pool are imagined in one domain of
every level but their own host: what has no room there has room nowhere.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from trainshed.model.cluster import Cluster, Pool
from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import format_decimal
from trainshed.validate.policy.reading.values import map_at, maps_at, text_at

HOST = "kubernetes.io/hostname"
MOST_PODS = 110
"""What a kubelet takes unless told otherwise."""

ANY_DISK = 2**50
"""Bytes: no catalogue says how large a node's disk is, and no quota counts it."""


def imagine_nodes(cluster: Cluster | None) -> Iterator[JsonObject]:
    """A Node for each machine of a cluster whose topology matters; none elsewhere."""
    if cluster is not None and cluster.topology:
        yield from nodes_of(cluster)


def nodes_of(cluster: Cluster) -> Iterator[JsonObject]:
    """A Node for each machine of a cluster."""
    for pool in cluster.pools.values():
        for number in range(pool.nodes):
            yield _node(cluster, pool, f"{pool.name}-{number}")


def pool_nodes(cluster: Cluster) -> Iterator[JsonObject]:
    """One Node for each pool, by the pool's name."""
    for pool in cluster.pools.values():
        yield _node(cluster, pool, pool.name)


def _node(cluster: Cluster, pool: Pool, name: str) -> JsonObject:
    domains = {level.label: name if level.label == HOST else pool.name for level in cluster.topology}
    taints = [{"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in pool.taints]
    offers = {**pool.resources, "pods": Fraction(MOST_PODS), "ephemeral-storage": Fraction(ANY_DISK)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOST: name, **domains, **pool.labels}},
        "spec": {"taints": taints},
        "status": {
            "allocatable": {resource: format_decimal(amount) for resource, amount in offers.items()},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def unknown_labels(body: JsonObject, nodes: Sequence[JsonObject]) -> list[str]:
    """The labels that an object's pods look for on nodes, and that no imagined node has: real ones may."""
    known = {label for node in nodes for label in node["metadata"]["labels"]}
    return sorted(set(_labels_asked(body)) - known) if nodes else []


def _labels_asked(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _labels_asked(item)
    elif isinstance(value, dict):
        yield from map_at(value, "nodeSelector")
        for _, term in maps_at(value, "nodeSelectorTerms"):
            yield from filter(None, (text_at(rule, "key") for _, rule in maps_at(term, "matchExpressions")))
        for field, below in value.items():
            if field not in ("nodeSelector", "nodeSelectorTerms"):
                yield from _labels_asked(below)
