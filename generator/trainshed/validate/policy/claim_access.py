"""Pods that may run on several nodes mount only claims that several nodes can mount.

Judged within one workload, whose pods run at once. Two workloads may well take turns at one claim.
"""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.manifest import ObjectId
from trainshed.validate.policy.reading.pods import Reference, references
from trainshed.validate.policy.reading.values import items_at, map_at, maps_at
from trainshed.validate.view import ClusterView, MadePod, Member

KIND = "PersistentVolumeClaim"
HOST = "kubernetes.io/hostname"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at the first mount of each claim that cannot serve all pods of a workload."""
    mounts: dict[tuple[ObjectId, str], list[Reference]] = {}
    for pod in view.pods:
        for reference in references(pod, KIND):
            mounts.setdefault((pod.owner.identity, reference.name), []).append(reference)
    for (_, name), found in mounts.items():
        claim = view.find(KIND, found[0].pod.owner.namespace, name)
        num_pods = sum(reference.pod.count for reference in found)
        if claim is not None and num_pods > 1:
            yield from _judge(view, claim, found, num_pods)


def _judge(view: ClusterView, claim: Member, found: list[Reference], num_pods: int) -> Iterator[Diagnostic]:
    modes = items_at(claim.body, "spec", "accessModes")
    first = found[0]
    if "ReadWriteOncePod" in modes:
        severity, whom = Severity.ERROR, "one pod"
    elif modes == ["ReadWriteOnce"] and not _on_one_node(view, found):
        severity, whom = Severity.ERROR if view.cluster else Severity.WARNING, "one node"
    else:
        return
    yield Diagnostic(
        code=Code.CLAIM_ACCESS,
        severity=severity,
        summary=f"{num_pods} pods of {first.pod.owner.identity} mount {claim.identity}, which serves {whom} only",
        source=first.pod.at(first.pointer),
        detail="make the claim ReadWriteMany, on storage that can, or run on one node",
        related=(Related(claim.at("/spec/accessModes"), "how the claim can be mounted"),),
    )


def _on_one_node(view: ClusterView, found: list[Reference]) -> bool:
    one_node = view.cluster is not None and view.cluster.num_nodes <= 1
    return one_node or all(_is_bound(reference.pod) for reference in found)


def _is_bound(pod: MadePod) -> bool:
    """Whether the pod says itself which node it goes to, or that it goes where others are."""
    spec = map_at(pod.body, "spec")
    terms = maps_at(spec, "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    beside = any(term.get("topologyKey") == HOST for _, term in terms)
    return beside or bool(spec.get("nodeName")) or HOST in map_at(spec, "nodeSelector")
