"""Who may do more than before: roles, bindings, identities, projects, networks, Pod Security."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from trainshed.model.manifest import JsonObject, canonical_json
from trainshed.model.review import Verb
from trainshed.review.pairs import Pair
from trainshed.review.shapes import items, metadata_of, spec_of, table, tables

_READING = frozenset({"get", "list", "watch"})
_IDENTITIES: Mapping[str, str] = {
    "eks.amazonaws.com/role-arn": "AWS role",
    "iam.gke.io/gcp-service-account": "Google service account",
    "azure.workload.identity/client-id": "Azure identity",
}
_OPENINGS: Mapping[str, str] = {
    "destinations": "deploy to",
    "sourceRepos": "sync from",
    "namespaceResourceWhitelist": "sync",
    "clusterResourceWhitelist": "sync, cluster-wide,",
}
_LEVELS = ("privileged", "baseline", "restricted")
_ENFORCE = "pod-security.kubernetes.io/enforce"
_MOST_NAMED = 4


def rules_grow(pair: Pair) -> Iterator[tuple[str, str]]:
    """A role that grants what it did not; a new one that grants more than to read."""
    if pair.after is None:
        return
    granted = _grants(pair.new) - _grants(pair.old)
    if pair.verb is Verb.CREATED:
        granted = {grant for grant in granted if grant[2] not in _READING}
    if granted:
        words = [f"{verb} {resource}" for _, resource, verb in sorted(granted)]
        yield f"{pair.identity} grants more: {_list(words)}", "/rules"


def bound_to_more(pair: Pair) -> Iterator[tuple[str, str]]:
    """A binding to further people or accounts, or to another role; and any new one over a whole cluster."""
    if pair.after is None:
        return
    role = table(pair.new.get("roleRef")).get("name", "")
    if pair.verb is Verb.CHANGED and pair.old.get("roleRef") != pair.new.get("roleRef"):
        yield f"{pair.identity} binds another role: {role}", "/roleRef"
    known = {canonical_json(one) for one in items(pair.old.get("subjects"))}
    come = [one for one in tables(pair.new.get("subjects")) if canonical_json(one) not in known]
    if come and (pair.verb is Verb.CHANGED or pair.kind == "ClusterRoleBinding"):
        names = _list([f"{one.get('kind', '')} {one.get('name', '')}" for one in come])
        yield f"{pair.identity} gives {role} to {names}", "/subjects"


def other_identity(pair: Pair) -> Iterator[tuple[str, str]]:
    """A service account that is somebody else at a cloud, or hands its token to every pod."""
    before, after = metadata_of(pair.old, "annotations"), metadata_of(pair.new, "annotations")
    for annotation, noun in _IDENTITIES.items():
        if annotation in after and before.get(annotation) != after[annotation]:
            pointer = f"/metadata/annotations/{annotation.replace('/', '~1')}"
            yield f"{pair.identity} becomes the {noun} {after[annotation]}", pointer
    key = "automountServiceAccountToken"
    if pair.new.get(key) and not pair.old.get(key):
        yield f"{pair.identity} hands its token to its pods", f"/{key}"


def project_opens(pair: Pair) -> Iterator[tuple[str, str]]:
    """A project that may sync more kinds, from more places, to more places."""
    if pair.verb is not Verb.CHANGED:
        return
    for field, words in _OPENINGS.items():
        known = {canonical_json(item) for item in items(spec_of(pair.old).get(field))}
        come = [item for item in items(spec_of(pair.new).get(field)) if canonical_json(item) not in known]
        if come:
            yield f"{pair.identity} may {words} {_list([_name(item) for item in come])}", f"/spec/{field}"


def network_opens(pair: Pair) -> Iterator[tuple[str, str]]:
    """A policy that lets more through, or goes; that of a run goes with it."""
    if pair.verb is Verb.DELETED and not pair.is_of_job:
        yield f"{pair.identity} goes: nothing holds back what it held back", ""
    if pair.verb is not Verb.CHANGED:
        return
    old, new = spec_of(pair.old), spec_of(pair.new)
    for field, words in (("ingress", "in"), ("egress", "out")):
        known = {canonical_json(rule) for rule in items(old.get(field))}
        if any(canonical_json(rule) not in known for rule in items(new.get(field))):
            yield f"{pair.identity} lets other traffic {words}", f"/spec/{field}"
    for direction in sorted(_names(old.get("policyTypes")) - _names(new.get("policyTypes"))):
        yield f"{pair.identity} no longer holds back {direction.lower()}", "/spec/policyTypes"


def pod_security_drops(pair: Pair) -> Iterator[tuple[str, str]]:
    """A namespace at a lower level than before, or made at a lower one than restricted."""
    if pair.after is None:
        return
    before = metadata_of(pair.old, "labels").get(_ENFORCE, _LEVELS[0]) if pair.old else _LEVELS[-1]
    after = metadata_of(pair.new, "labels").get(_ENFORCE, _LEVELS[0])
    if before in _LEVELS and (after not in _LEVELS or _LEVELS.index(after) < _LEVELS.index(before)):
        yield f"{pair.identity} lets pods in that are {after}, not {before}", "/metadata/labels"


def _grants(body: JsonObject) -> set[tuple[str, str, str]]:
    """Every (group, resource, verb) of a role."""
    return {
        (str(group), str(resource), str(verb))
        for rule in tables(body.get("rules"))
        for group, resource, verb in product(
            items(rule.get("apiGroups")) or [""],
            items(rule.get("resources")) or items(rule.get("nonResourceURLs")),
            items(rule.get("verbs")),
        )
    }


def _name(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    return "/".join(str(value) for _, value in sorted(item.items()) if value)


def _names(value: Any) -> set[str]:
    return set(map(str, items(value)))


def _list(words: list[str]) -> str:
    more = len(words) - _MOST_NAMED
    return ", ".join(words[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
