"""Nodes that a health check has marked are no place for pods with GPUs."""

from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup


def healthy_nodes(target: Target, group: PodGroup) -> list[JsonObject]:
    """What every term of the pods' node affinity demands besides: no label with a bad value. Nodes without it pass."""
    if not group.gpus:
        return []
    return [
        {"key": rule.label, "operator": "NotIn", "values": list(rule.bad)}
        for rule in target.cluster.node_health
    ]
