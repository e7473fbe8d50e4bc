"""The same change of many targets, once: names of clusters, teams, jobs and runs do not count."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from typing import TypeAlias, TypeVar

from trainshed.model.review import (
    Apart,
    Cause,
    CauseGroup,
    FieldChange,
    ObjectChange,
    ObjectGroup,
    RunChange,
    RunGroup,
    Verb,
)
from trainshed.review.workloads import is_workload

T = TypeVar("T")
RunKey: TypeAlias = tuple[str, str]
"""A cluster and the app of a job."""

CLAIMS = frozenset({"PersistentVolumeClaim", "PersistentVolume"})
_HASH = re.compile(r"(?<=[-/])[0-9a-f]{8}\b")
_WORD = re.compile(r"[a-z0-9]+")


def group_runs(runs: Iterable[RunChange]) -> tuple[RunGroup, ...]:
    """Runs to which the same happens, in the order of the first of each. Of one job, fields may differ by cluster."""
    alike = _collect(runs, _key_of_run)
    by_job: defaultdict[Hashable, list[list[RunChange]]] = defaultdict(list)
    for group in alike:
        jobs = {(run.team, run.job) for run in group}
        by_job[(_key_of_turn(group[0]), *jobs)].append(group)
    return tuple(_join(groups) for groups in by_job.values())


def _join(groups: list[list[RunChange]]) -> RunGroup:
    """Groups that differ in some fields only, as one."""
    runs = tuple(run for group in groups for run in group)
    first = groups[0][0]
    if len(groups) == 1:
        return RunGroup(first.verb, runs, first.fields)
    keys = [
        {_key_of_field(field, (group[0].job, group[0].cluster)) for field in group[0].fields}
        for group in groups
    ]
    shared = set.intersection(*keys)

    def is_shared(field: FieldChange, run: RunChange) -> bool:
        return _key_of_field(field, (run.job, run.cluster)) in shared

    apart = tuple(
        Apart(
            tuple(run.cluster for run in group),
            tuple(field for field in group[0].fields if not is_shared(field, group[0])),
        )
        for group in groups
    )
    fields = tuple(field for field in first.fields if is_shared(field, first))
    return RunGroup(first.verb, runs, fields, tuple(one for one in apart if one.fields))


def group_objects(objects: Iterable[ObjectChange]) -> tuple[ObjectGroup, ...]:
    """Objects to which the same happens, what goes first."""
    groups = [ObjectGroup(alike[0].verb, tuple(alike)) for alike in _collect(objects, _key_of_object)]
    return tuple(sorted(groups, key=lambda group: _ORDER.index(group.verb)))


def group_causes(causes: Iterable[Cause]) -> tuple[CauseGroup, ...]:
    """Files that were edited in the same way, with the same effects."""
    return tuple(CauseGroup(tuple(alike)) for alike in _collect(causes, _key_of_cause))


def follows_run(change: ObjectChange, runs: Collection[RunKey]) -> bool:
    """Whether an object only comes, goes or changes with its run, of which is told already."""
    of_job = change.app.app.startswith("job-") and (change.app.cluster, change.app.app) in runs
    if change.identity.kind == "Application":
        name = change.identity.name.removeprefix(f"{change.app.cluster}-")
        return change.verb is not Verb.CHANGED and (change.app.cluster, name) in runs
    if is_workload(change.identity.kind) or change.identity.kind == "ConfigMap":
        return of_job
    return (
        of_job
        and change.identity.kind not in CLAIMS
        and (change.verb is not Verb.CHANGED and not change.fields)
    )


_ORDER = (Verb.DELETED, Verb.REPLACED, Verb.CHANGED, Verb.CREATED)


def _collect(items: Iterable[T], key_of: Callable[[T], Hashable]) -> list[list[T]]:
    groups: defaultdict[Hashable, list[T]] = defaultdict(list)
    for item in items:
        groups[key_of(item)].append(item)
    return list(groups.values())


def _key_of_cause(cause: Cause) -> Hashable:
    """The file's sort, its words and its effects; its path and name do not count."""
    noun = cause.subject.partition(" ")[0]
    return cause.verb, noun, cause.effects, tuple(_key_of_field(word, ()) for word in cause.words)


def _key_of_turn(run: RunChange) -> Hashable:
    names = {run.starts: "<new>", run.ends: "<old>", run.resumes: "<old>", run.job: "<job>"}
    return run.verb, run.quote, *(_plain(sentence, names) for sentence in run.sentences)


def _key_of_run(run: RunChange) -> Hashable:
    return _key_of_turn(run), tuple(_key_of_field(field, (run.job, run.cluster)) for field in run.fields)


def _key_of_object(change: ObjectChange) -> Hashable:
    """What is changed counts by its fields; what comes and goes by its kind, and by its name where that is shared."""
    of_job = change.app.app.startswith("job-")
    names = (change.app.cluster, *_WORD.findall(f"{change.identity.name} {change.identity.namespace}"))
    name = (
        ""
        if of_job
        else _plain(change.identity.name, dict.fromkeys((*names[:1], *_WORD.findall(change.app.app)), "<>"))
    )
    fields = tuple(_key_of_field(field, names[:1] if of_job else names) for field in change.fields)
    shown = name if not fields else ""
    return change.verb, change.identity.kind, shown, change.stays, fields


def _key_of_field(field: FieldChange, names: Iterable[str]) -> Hashable:
    known = dict.fromkeys(names, "<>")
    values = [
        _HASH.sub("", _plain(value, known)) if value else value for value in (field.before, field.after)
    ]
    return field.words, *values, field.roles, field.lines, field.added, field.removed


def _plain(text: str, names: dict[str, str]) -> str:
    """The text without the names that only say where it stands."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        if len(name) > 2:
            text = text.replace(name, names[name])
    return text
