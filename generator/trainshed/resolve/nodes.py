"""What the job itself says about its nodes, and where that can never hold."""

import re
from types import MappingProxyType

from trainshed.model.codes import Code
from trainshed.model.manifest import JsonObject
from trainshed.model.nodes import NodeWishes
from trainshed.model.pods import PodGroup
from trainshed.model.spec.affinity import PodAffinity, Toleration
from trainshed.resolve.draft import Draft
from trainshed.resolve.labels import is_label_key

_HOST = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def resolve_node_wishes(draft: Draft, groups: tuple[PodGroup, ...]) -> NodeWishes:
    """The raw wishes, checked against the pools that the pods go to."""
    body = draft.body
    labels = {key: value for key, value in sorted((body.node_selector or {}).items()) if value is not None}
    for key, value in labels.items():
        _check_label(draft, groups, key, value)
    for index, toleration in enumerate(body.tolerations or ()):
        _check_toleration(draft, index, toleration)
    for index, host in enumerate(body.avoid_nodes or ()):
        if not _HOST.fullmatch(host):
            draft.refuse(
                Code.BAD_NAME,
                ("avoidNodes", index),
                f'"{host}" is not the host name of a node',
                "write it as kubectl get nodes --label-columns kubernetes.io/hostname does",
            )
    affinity = body.affinity
    nodes = affinity.node_affinity if affinity else None
    required = nodes.required_during_scheduling_ignored_during_execution if nodes else None
    for index, term in enumerate(required.node_selector_terms if required else ()):
        if not (term.match_expressions or term.match_fields):
            draft.refuse(
                Code.MISSING_FIELD,
                (*_TERMS, index),
                "the term asks for nothing, and no node fits such a term",
                "write matchExpressions: [{key: …, operator: In, values: […]}], or leave it out",
            )
    preferred = nodes.preferred_during_scheduling_ignored_during_execution if nodes else None
    return NodeWishes(
        labels=MappingProxyType(labels),
        terms=tuple(
            term.model_dump(by_alias=True, exclude_none=True)
            for term in (required.node_selector_terms if required else ())
        ),
        preferred=preferred or (),
        pod_affinity=_plain(affinity and affinity.pod_affinity),
        pod_anti_affinity=_plain(affinity and affinity.pod_anti_affinity),
        tolerations=tuple(
            toleration.model_dump(by_alias=True, exclude_none=True) for toleration in body.tolerations or ()
        ),
        avoided=tuple(sorted(set(body.avoid_nodes or ()))),
        scheduler=body.scheduler or "",
    )


def _plain(affinity: PodAffinity | None) -> JsonObject:
    return affinity.model_dump(by_alias=True, exclude_none=True) if affinity else {}


def _check_label(draft: Draft, groups: tuple[PodGroup, ...], key: str, value: str) -> None:
    """A label that no node of a group's pools has: its pods would wait for ever, or Kueue never start them."""
    field = ("nodeSelector", key)
    if not is_label_key(key):
        draft.refuse(
            Code.BAD_LABEL,
            field,
            f'"{key}" cannot be the key of a label',
            "use letters, digits, '-', '_' and '.', at most 63, after an optional domain and '/'",
        )
    for group in groups:
        said = {pool.name: pool.labels.get(key, value) for pool in group.pools}
        if said and value not in said.values():
            names = ", ".join(f"{pool}: {other}" for pool, other in said.items())
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                field,
                f'no node that the pods may go to has {key} "{value}" ({names})',
                "leave it out, or write pool: or gpus: for the pool that has it",
            )
            return


def _check_toleration(draft: Draft, index: int, toleration: Toleration) -> None:
    """What the API server refuses, said in the words of the spec."""
    field = ("tolerations", index)
    exists = toleration.operator == "Exists"
    if exists and toleration.value:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*field, "value"),
            "operator Exists takes no value",
            "leave out one of them",
        )
    if not toleration.key and not exists:
        draft.refuse(
            Code.MISSING_FIELD,
            field,
            "the toleration names no key",
            "write key: …, or operator: Exists for every taint",
        )
    if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*field, "tolerationSeconds"),
            "tolerationSeconds is about effect NoExecute only",
            "write effect: NoExecute, or leave it out",
        )
