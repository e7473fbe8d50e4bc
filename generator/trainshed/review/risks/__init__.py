"""A change in; what a reviewer must not miss out: a rule a row, a small function a rule."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from trainshed.model.manifest import AppId
from trainshed.model.naming import job_app
from trainshed.model.review import ObjectChange, Risk, RiskKind, RunGroup, RunVerb
from trainshed.model.source import Source
from trainshed.review.origins import Blame
from trainshed.review.pairs import Pair
from trainshed.review.risks import data, platform, pods, rights
from trainshed.review.texts import shorten

Rule: TypeAlias = Callable[[Pair], Iterator[tuple[str, str]]]
"""Sentences about a pair, each with a JSON pointer to what it is about; of one that goes the pointer is empty."""


class Row(NamedTuple):
    """A rule, its class, and the kinds of objects that it looks at: all, where none is named."""

    kind: RiskKind
    rule: Rule
    looks_at: frozenset[str] = frozenset()


CLAIMS = frozenset({"PersistentVolumeClaim", "PersistentVolume", "VolumeSnapshot", "VolumeSnapshotContent"})
CLASSES = frozenset({"PersistentVolume", "StorageClass", "VolumeSnapshotClass"})
ROLES = frozenset({"Role", "ClusterRole"})
BINDINGS = frozenset({"RoleBinding", "ClusterRoleBinding"})

RULES: tuple[Row, ...] = (
    Row(RiskKind.DATA, data.leaves_git, CLAIMS),
    Row(RiskKind.DATA, data.loses_protection),
    Row(RiskKind.DATA, data.other_storage, CLAIMS),
    Row(RiskKind.DATA, data.shrinks, CLAIMS),
    Row(RiskKind.DATA, data.no_longer_retained, CLASSES),
    Row(RiskKind.NAMESPACE, platform.namespace_goes, frozenset({"Namespace"})),
    Row(RiskKind.RIGHTS, rights.rules_grow, ROLES),
    Row(RiskKind.RIGHTS, rights.bound_to_more, BINDINGS),
    Row(RiskKind.RIGHTS, rights.other_identity, frozenset({"ServiceAccount"})),
    Row(RiskKind.RIGHTS, rights.project_opens, frozenset({"AppProject"})),
    Row(RiskKind.RIGHTS, rights.network_opens, frozenset({"NetworkPolicy"})),
    Row(RiskKind.RIGHTS, rights.pod_security_drops, frozenset({"Namespace"})),
    Row(RiskKind.RIGHTS, pods.gets_token),
    Row(RiskKind.PRIVILEGED, pods.gains_privilege),
    Row(RiskKind.IMAGE, pods.image_moves),
    Row(RiskKind.QUOTA, platform.quota_grows, frozenset({"ClusterQueue", "Cohort"})),
    Row(RiskKind.QUOTA, platform.ceiling_grows, frozenset({"ResourceQuota"})),
    Row(RiskKind.OPERATOR, platform.operator_changes, frozenset({"Application"})),
    Row(RiskKind.OPERATOR, platform.definition_goes, frozenset({"CustomResourceDefinition"})),
)

_ORDER = tuple(RiskKind)
_FATES = {
    RunVerb.RESTARTS: ("ends, and another starts", "end, and others start"),
    RunVerb.ENDS: ("ends", "end"),
    RunVerb.STOPS: ("is stopped", "are stopped"),
}
_WORD = re.compile(r"[\w.-]*\w")
_MOST_NAMED = 5
_MOST_CHARACTERS = 400


def find_risks(
    pairs: Iterable[Pair], objects: Iterable[ObjectChange], groups: Iterable[RunGroup], blame: Blame
) -> tuple[Risk, ...]:
    """Every risk once, the gravest first, with all lines that cause it and all apps that it is in."""
    found: dict[tuple[RiskKind, str], tuple[dict[Source, None], dict[AppId, None]]] = {}

    def add(kind: RiskKind, sentence: str, source: Source, app: AppId) -> None:
        sources, places = found.setdefault((kind, shorten(sentence, _MOST_CHARACTERS)), ({}, {}))
        sources[source] = places[app] = None

    described = {(one.app, one.identity) for one in objects}
    for pair in pairs:
        if (pair.app, pair.identity) not in described:
            continue
        for row in RULES:
            if not row.looks_at or pair.kind in row.looks_at:
                for sentence, pointer in row.rule(pair):
                    source = blame.find(pair.app, pair.identity, pointer, _WORD.findall(sentence))
                    add(row.kind, sentence, source, pair.app)
    for group in groups:
        sentence = _ending(group)
        for run in group.runs if sentence else ():
            add(RiskKind.ENDS_RUN, sentence, run.source, AppId(run.cluster, job_app(run.team, run.job)))
    risks = (
        Risk(kind, sentence, tuple(sources), tuple(places))
        for (kind, sentence), (sources, places) in found.items()
    )
    return tuple(sorted(risks, key=lambda risk: (_ORDER.index(risk.kind), risk.source, risk.sentence)))


def _ending(group: RunGroup) -> str:
    """What a group of runs is at risk of, if they end."""
    ending = [run for run in group.runs if run.ends]
    if group.verb not in _FATES or not ending:
        return ""
    jobs = list(dict.fromkeys(f"{run.team}/{run.job}" for run in ending))
    more = f" and {len(jobs) - _MOST_NAMED} more" if len(jobs) > _MOST_NAMED else ""
    one, several = _FATES[group.verb]
    fate = f"1 run {one}" if len(ending) == 1 else f"{len(ending)} runs {several}"
    return f"{', '.join(jobs[:_MOST_NAMED])}{more}: {fate}"
