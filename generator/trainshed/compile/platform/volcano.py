"""Volcano: a queue for each team, and the scheduler that keeps to them.

A queue has one ledger for all pools: what is guaranteed in it is at most what it deserves, and that at most what it
is capable of (`pkg/webhooks/admission/queues/validate/validate_queue.go`, v1.15.1).
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from trainshed.compile.amounts import format_amount
from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.plain import without_empty
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.queueing import HOSTNAME
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster, resources_of

SCHEDULER = """\
actions: "enqueue, allocate, backfill, reclaim"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: capacity
  - name: nodeorder
  - name: binpack
"""
"""Volcano's own, but queues have capacities (`capacity`) where they had weights (`proportion`), and are given back."""

NETWORK_TOPOLOGY = """\
  - name: network-topology-aware
"""
"""What looks at how far apart nodes are, on clusters that say it."""


def volcano_queues(cluster: Cluster, teams: Iterable[TeamOnCluster]) -> Iterator[tuple[JsonObject, Source]]:
    """A queue for each team with a quota, and the line that asks for it."""
    if not cluster.has_volcano_queues:
        return
    for team in teams:
        if team.quotas:
            yield _queue(team), team.source


def _queue(team: TeamOnCluster) -> JsonObject:
    every = (*team.quotas.values(), *team.guaranteed.values())
    deserved = resources_of(every, lambda quota: quota.nodes)
    kept = resources_of(team.guaranteed.values(), lambda quota: quota.nodes)
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": team.volcano_queue, "labels": dict(MANAGED_BY)},
        "spec": without_empty(
            {
                "weight": 1,
                "reclaimable": True,
                "capability": _amounts(team.capability),
                "deserved": _amounts(deserved),
                "guarantee": without_empty({"resource": _amounts(kept)}),
            }
        ),
    }


def _amounts(resources: Mapping[str, Fraction]) -> dict[str, str]:
    return {resource: format_amount(resource, amount) for resource, amount in resources.items()}


def scheduler_config(cluster: Cluster) -> str:
    """The scheduler's whole configuration."""
    return SCHEDULER + (NETWORK_TOPOLOGY if cluster.topology else "")


def controller_config(cluster: Cluster) -> str:
    """How the controller finds out how far apart nodes are: by their labels, the widest first, hosts last."""
    if not cluster.topology:
        return ""
    labels = [level.label for level in cluster.topology if level.label != HOSTNAME]
    lines = [
        "networkTopologyDiscovery:",
        "- source: label",
        "  enabled: true",
        "  config:",
        "    networkTopologyTypes:",
        f"      {cluster.name}:",
        *(f"      - nodeLabel: {label}" for label in (*labels, HOSTNAME)),
    ]
    return "\n".join(lines) + "\n"
