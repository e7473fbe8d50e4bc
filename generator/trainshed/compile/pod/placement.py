"""Where pods may go: the labels of their pools, the taints that they tolerate, and what the job says beside."""

from collections.abc import Mapping
from itertools import product

from trainshed.compile.plain import toleration, without_empty
from trainshed.compile.pod.health import healthy_nodes
from trainshed.compile.pod.part import PodPart
from trainshed.compile.pod.topology import away, near, pools_in_order
from trainshed.compile.said import said
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath
from trainshed.model.queueing import HOSTNAME

ARCHITECTURE = "kubernetes.io/arch"

POOLS: tuple[FieldPath, ...] = (("pool",), ("capacity",), ("gpus",), ("nodes",))
WORDS: Mapping[str, tuple[FieldPath, ...]] = {
    "nodeSelector": (("nodeSelector",), ("platform",), *POOLS),
    "affinity": (("affinity",), ("avoidNodes",), ("exclusive",), ("topology",), *POOLS),
    "tolerations": (("tolerations",), *POOLS),
    "schedulerName": (("scheduler",),),
}
"""The fields of the spec that choose nodes, by those of the pod: the first that is written answers."""


def placement(target: Target, group: PodGroup) -> PodPart:
    """The part of a pod that says where it may go."""
    fields = {
        "nodeSelector": node_selector(target, group),
        "affinity": affinity(target, group),
        "tolerations": tolerations(target, group),
        **({"schedulerName": target.node_wishes.scheduler} if target.node_wishes.scheduler else {}),
    }
    return PodPart(
        pod=fields,
        sources={name: said(target, group, *words) for name, words in WORDS.items()},
    )


def node_selector(target: Target, group: PodGroup) -> dict[str, str]:
    """The labels of the one pool that the pods may go to, and those that the job asks for; where said, the platform."""
    one_pool = group.node_terms[0] if len(group.node_terms) == 1 else {}
    platform = {ARCHITECTURE: group.arch} if group.arch else {}
    return {**target.node_wishes.labels, **one_pool, **platform}


def affinity(target: Target, group: PodGroup) -> JsonObject:
    """To nodes by pools and by the job's own terms; to other pods as the job says."""
    wishes = target.node_wishes
    required = {"nodeSelectorTerms": terms} if (terms := node_terms(target, group)) else {}
    return without_empty(
        {
            "nodeAffinity": without_empty(
                {
                    "requiredDuringSchedulingIgnoredDuringExecution": required,
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        *pools_in_order(target, group),
                        *wishes.preferred,
                    ],
                }
            ),
            "podAffinity": _both(near(target), wishes.pod_affinity),
            "podAntiAffinity": _both(away(target), wishes.pod_anti_affinity),
        }
    )


def node_terms(target: Target, group: PodGroup) -> list[JsonObject]:
    """Terms of which one must hold: a pool's, joined with one of the job's, joined with what holds for every node."""
    pools = [_of_pool(labels) for labels in group.node_terms] if len(group.node_terms) > 1 else [{}]
    terms = [
        _join(pool, own, everywhere(target, group))
        for pool, own in product(pools, target.node_wishes.terms or ({},))
    ]
    return [term for term in terms if term]


def everywhere(target: Target, group: PodGroup) -> JsonObject:
    """Requirements that every node must meet, whatever its pool."""
    avoided = list(target.node_wishes.avoided)
    named = [{"key": HOSTNAME, "operator": "NotIn", "values": avoided}] if avoided else []
    return without_empty({"matchExpressions": [*named, *healthy_nodes(target, group)]})


def _of_pool(labels: Mapping[str, str]) -> JsonObject:
    return {
        "matchExpressions": [
            {"key": key, "operator": "In", "values": [value]} for key, value in labels.items()
        ]
    }


def _both(ours: JsonObject, wished: JsonObject) -> JsonObject:
    """Affinity of two sources: all of the terms of each."""
    return {key: [*ours.get(key, ()), *wished.get(key, ())] for key in {**ours, **wished}}


def _join(*terms: JsonObject) -> JsonObject:
    """One term that asks for all that the terms ask for."""
    fields = ("matchExpressions", "matchFields")
    return without_empty(
        {field: [item for term in terms for item in term.get(field, ())] for field in fields}
    )


def tolerations(target: Target, group: PodGroup) -> list[JsonObject]:
    """What lets the group's pods onto the tainted nodes of its pools, and what the job tolerates beside."""
    of_pools = [toleration(taint) for taint in group.tolerations]
    return [*of_pools, *(wish for wish in target.node_wishes.tolerations if wish not in of_pools)]
