"""What an AppProject allows, by the rules of `AppProject` in github.com/argoproj/argo-cd `pkg/apis/application`."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from trainshed.validate.policy.reading.values import items_at, map_at, maps_at, text_at
from trainshed.validate.view import Member

HERE = {"server": "https://kubernetes.default.svc", "name": "in-cluster"}
"""The cluster that Argo CD itself runs on has both."""

SCOPES = ("namespace", "cluster")


def allows_repository(project: Member, url: str) -> bool:
    """Whether the project's Applications may read a repository; `*` stands for all, or for what holds no `/`."""
    patterns = [str(pattern) for pattern in items_at(project.body, "spec", "sourceRepos")]
    refused = any(pattern[:1] == "!" and _is_repository(pattern[1:], url) for pattern in patterns)
    return not refused and any(pattern[:1] != "!" and _is_repository(pattern, url) for pattern in patterns)


def _is_repository(pattern: str, url: str) -> bool:
    one, other = (text.lower().removesuffix(".git") for text in (pattern, url))
    return one == "*" or _compile(one, "[^/]").fullmatch(other) is not None


def allows_destination(project: Member, destination: Mapping[str, Any]) -> bool:
    """Whether the project's objects may be applied to a cluster and namespace."""
    allowed = False
    for _, item in maps_at(project.body, "spec", "destinations"):
        cluster = _is_cluster(item, destination)
        namespace = _matches(text_at(item, "namespace"), text_at(destination, "namespace"))
        if cluster and namespace:
            allowed = True
        elif (namespace and not cluster and _denies(item, "server", "name")) or (
            cluster and not namespace and _denies(item, "namespace")
        ):
            return False
    return allowed


def allowed_kinds(project: Member) -> Callable[[Member], bool]:
    """Tells whether the project may contain an object, cluster-wide ones only if it says so; each kind once."""
    spec = map_at(project.body, "spec")
    names = {name for scope in SCOPES for field in _lists_of(scope) for _, _, name in _entries(spec, field)}
    by_name = bool(names - {"*"})
    known: dict[tuple[str, str, str, str], bool] = {}

    def allows(member: Member) -> bool:
        group, _, _ = member.identity.api_version.rpartition("/")
        scope = "namespace" if member.namespace else "cluster"
        kind = scope, group, member.identity.kind, member.identity.name if by_name else ""
        if kind not in known:
            known[kind] = _allows(spec, *kind)
        return known[kind]

    return allows


def _allows(spec: Mapping[str, Any], scope: str, *kind: str) -> bool:
    listed, refused = _lists_of(scope)
    open_to_all = scope == "namespace" and spec.get(listed) is None
    return (open_to_all or _lists(spec, listed, kind)) and not _lists(spec, refused, kind)


def _lists_of(scope: str) -> tuple[str, str]:
    return f"{scope}ResourceWhitelist", f"{scope}ResourceBlacklist"


def _lists(spec: Mapping[str, Any], field: str, kind: tuple[str, ...]) -> bool:
    return any(all(map(_fits, entry, kind)) for entry in _entries(spec, field))


def _entries(spec: Mapping[str, Any], field: str) -> list[tuple[str, str, str]]:
    """Patterns of group, kind and name."""
    return [
        (text_at(item, "group"), text_at(item, "kind"), text_at(item, "name") or "*")
        for _, item in maps_at(spec, field)
    ]


def _is_cluster(item: Mapping[str, Any], destination: Mapping[str, Any]) -> bool:
    """By server or name. A project that says the one and an Application that says the other may mean the same."""
    told = [field for field in HERE if destination.get(field)]
    known = {field: str(destination[field]) for field in told}
    if any(known[field] == HERE[field] for field in told):
        known = dict(HERE)
    shared = [field for field in known if item.get(field)]
    return any(_matches(str(item[field]), known[field]) for field in shared) or not shared


def _denies(item: Mapping[str, Any], *fields: str) -> bool:
    return any(text_at(item, field)[:1] == "!" for field in fields)


def _matches(pattern: str, value: str) -> bool:
    return not _fits(pattern[1:], value) if pattern[:1] == "!" else _fits(pattern, value)


def _fits(pattern: str, value: str) -> bool:
    return pattern == "*" or _compile(pattern, ".").fullmatch(value) is not None


@cache
def _compile(pattern: str, letter: str) -> re.Pattern[str]:
    """A shell pattern in which `*` stands for letters of a sort, `**` for any, and `{a,b}` for one of several."""
    meant = {"**": ".*", "*": f"{letter}*", "?": letter, "{": "(?:", "}": ")", ",": "|"}
    alternatives = re.fullmatch(r"([^{}]*\{[^{}]*\})+[^{}]*", pattern) is not None
    tokens = re.findall(r"\*\*|.", pattern, re.DOTALL)
    special = meant.keys() if alternatives else meant.keys() - {"{", "}", ","}
    return re.compile("".join(meant[t] if t in special else re.escape(t) for t in tokens), re.DOTALL)
