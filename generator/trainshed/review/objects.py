"""Each object that differs, with its fields in a reviewer's words."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from trainshed.model.review import FieldChange, ObjectChange, Verb
from trainshed.model.source import Source
from trainshed.review.fields import Difference, compare, leaves
from trainshed.review.origins import Blame
from trainshed.review.pairs import Pair, without_hashes
from trainshed.review.shapes import metadata_of, table
from trainshed.review.texts import is_secret, tell_change
from trainshed.review.words import call, rank_fact, role_of
from trainshed.review.workloads import is_workload

_PRUNE = "argocd.argoproj.io/sync-options"
_MOST_TEXTS = 3
_IDENTITY = frozenset({"apiVersion", "kind"})


def describe_objects(pairs: Iterable[Pair], blame: Blame) -> tuple[ObjectChange, ...]:
    """What becomes of each object, in the order of the pairs; one in which nothing but names differs is left out."""
    changes = (_describe(pair, blame) for pair in pairs)
    return tuple(change for change in changes if change.fields or change.verb is not Verb.CHANGED)


def _describe(pair: Pair, blame: Blame) -> ObjectChange:
    fields: tuple[FieldChange, ...] = ()
    if pair.after is not None and (pair.before is not None or pair.like is not None):
        fields = _told(pair, merge_roles(_fields(pair, blame)))
    elif pair.after is not None and pair.is_of_job and is_workload(pair.kind):
        fields = _facts(pair, blame)
    return ObjectChange(
        verb=pair.verb,
        app=pair.app,
        identity=pair.identity,
        previous=pair.before.identity if pair.before and pair.verb is Verb.REPLACED else None,
        fields=fields,
        source=_cause(pair, fields) or blame.find(pair.app, pair.identity),
        stays=pair.verb is Verb.DELETED and keeps_in_cluster(pair.old),
    )


def _cause(pair: Pair, fields: Iterable[FieldChange]) -> Source | None:
    """Of an object that changes, the line behind the first of its fields: what else it comes from did not change it."""
    return next((field.source for field in fields), None) if pair.verb is Verb.CHANGED else None


def _facts(pair: Pair, blame: Blame) -> tuple[FieldChange, ...]:
    """What a reviewer asks of a run that is new, in the order of the questions."""
    ranked: list[tuple[int, FieldChange]] = []
    for leaf in leaves(_comparable(pair.new)):
        words = call(leaf.path)
        rank = rank_fact(words)
        if rank is not None:
            source = blame.find(pair.app, pair.identity, leaf.pointer, leaf.path)
            ranked.append((rank, _field(words, leaf, source)))
    return tuple(merge_roles(field for _, field in sorted(ranked, key=lambda one: one[0])))


def _told(pair: Pair, fields: Iterable[FieldChange]) -> tuple[FieldChange, ...]:
    """The fields as they are shown: of texts that nobody wrote for a job, how many lines differ, all in one."""
    fields = tuple(fields)
    texts = [field for field in fields if field.added or field.removed]
    if pair.is_of_job or not texts:
        return fields
    names = [field.words for field in texts]
    more = f" and {len(names) - _MOST_TEXTS} more" if len(names) > _MOST_TEXTS else ""
    bulk = replace(
        texts[0],
        words=f"{', '.join(names[:_MOST_TEXTS])}{more}",
        lines=(),
        added=sum(field.added for field in texts),
        removed=sum(field.removed for field in texts),
    )
    return (*(field for field in fields if field not in texts), bulk)


def keeps_in_cluster(body: dict[str, Any]) -> bool:
    """Whether Argo CD leaves an object alone when it leaves Git (`Prune=false`)."""
    options = metadata_of(body, "annotations").get(_PRUNE, "")
    return "Prune=false" in str(options).split(",")


def _fields(pair: Pair, blame: Blame) -> Iterator[FieldChange]:
    old, new = (_comparable(body) for body in (pair.old, pair.new))
    earlier = pair.before or pair.like
    former = earlier.identity.name if earlier else ""
    for difference in compare(old, new):
        words = call(difference.path)
        if words and not _is_echo(difference, former, pair.identity.name):
            source = blame.find(pair.app, pair.identity, difference.pointer, difference.path)
            yield _field(words, difference, source)


def _comparable(body: dict[str, Any]) -> dict[str, Any]:
    """The body without its identity, which `ObjectChange` states."""
    metadata = {
        key: value for key, value in table(body.get("metadata")).items() if key not in ("name", "namespace")
    }
    return {key: value for key, value in body.items() if key not in _IDENTITY} | {"metadata": metadata}


def _is_echo(difference: Difference, former: str, name: str) -> bool:
    """Whether a field only says the name of the run, or of what it brings along, once more."""
    old, new = difference.before, difference.after
    if isinstance(old, dict | list) and isinstance(new, dict | list):
        return _stripped(str(old), former) == _stripped(str(new), name)
    if not isinstance(old, str) or not isinstance(new, str):
        return False
    return _stripped(old, former) == _stripped(new, name)


def _stripped(text: str, name: str) -> str:
    return without_hashes(text.replace(name, "") if name else text)


def _field(words: str, difference: Difference, source: Source) -> FieldChange:
    change = tell_change(words, difference.before, difference.after, is_secret(difference.path))
    role = role_of(difference.path)
    return replace(change, roles=(role,) if role else (), pointer=difference.pointer, source=source)


def merge_roles(fields: Iterable[FieldChange]) -> Iterator[FieldChange]:
    """The same change of several parts once; the parts are named only where they differ from one another."""
    merged: dict[tuple[object, ...], FieldChange] = {}
    for field in fields:
        key = (field.words, field.before, field.after, field.lines, field.added, field.removed)
        seen = merged.get(key)
        if seen is None:
            merged[key] = field
        else:
            merged[key] = replace(seen, roles=tuple(dict.fromkeys((*seen.roles, *field.roles))))
    counts: dict[str, int] = {}
    for field in merged.values():
        counts[field.words] = counts.get(field.words, 0) + 1
    for field in merged.values():
        yield field if counts[field.words] > 1 else replace(field, roles=())
