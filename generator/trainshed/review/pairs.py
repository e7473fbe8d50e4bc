"""Which object follows which: the same name, or the same part of a run that has a new name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trainshed.model.manifest import AppId, JsonObject, ObjectId
from trainshed.model.review import Proposal, Verb
from trainshed.model.seal import seal_path
from trainshed.review.sides import Sides, Standing

_RUN = re.compile(r"-[0-9a-f]{8}(-[1-9][0-9]*)?(?=-|$)")
"""What `model.naming` appends to a job's name for a run, and to a part's name for its content."""

_JOB = "job-"


@dataclass(frozen=True, slots=True)
class Pair:
    """An object on both sides. `like` is what a created one is compared with: the part of an earlier run that stays."""

    verb: Verb
    app: AppId
    before: Standing | None
    after: Standing | None
    like: Standing | None = None

    @property
    def standing(self) -> Standing:
        """The object as it will be; as it was, of one that goes."""
        standing = self.after or self.before
        assert standing is not None  # noqa: S101 - a pair has a side
        return standing

    @property
    def identity(self) -> ObjectId:
        """The name that it will have, or had."""
        return self.standing.identity

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.identity.kind

    @property
    def old(self) -> JsonObject:
        """What it is compared with; nothing where nothing was."""
        earlier = self.before or self.like
        return earlier.body if earlier else {}

    @property
    def new(self) -> JsonObject:
        """What it will be; nothing where it goes."""
        return self.after.body if self.after else {}

    @property
    def is_of_job(self) -> bool:
        """Whether it belongs to a job's app."""
        return self.app.app.startswith(_JOB)


def pair_objects(sides: Sides, proposal: Proposal) -> tuple[Pair, ...]:
    """Every object that differs, once, by app and identity."""
    before = {(one.app, one.identity): one for one in sides.before}
    after = {(one.app, one.identity): one for one in sides.after}
    created = [after[key] for key in after.keys() - before.keys()]
    deleted = [before[key] for key in before.keys() - after.keys()]
    kept = _by_part(sides.kept)
    pairs = [Pair(Verb.CHANGED, key[0], before[key], after[key]) for key in before.keys() & after.keys()]
    gone = _by_part(deleted)
    followed: set[tuple[AppId, ObjectId]] = set()
    for one in created:
        (old, *others) = gone.get(_part(one), (None,))
        if old is not None and not others and (old.app, old.identity) not in followed:
            followed.add((old.app, old.identity))
            pairs.append(Pair(Verb.REPLACED, one.app, old, one))
        else:
            pairs.append(Pair(Verb.CREATED, one.app, None, one, _newest(kept.get(_part(one), ()), proposal)))
    rest = (one for one in deleted if (one.app, one.identity) not in followed)
    pairs += [Pair(Verb.DELETED, one.app, one, None) for one in rest]
    return tuple(sorted(pairs, key=lambda pair: (pair.app, pair.identity)))


def _by_part(standing: Iterable[Standing]) -> Mapping[tuple[AppId, str, str], list[Standing]]:
    parts: defaultdict[tuple[AppId, str, str], list[Standing]] = defaultdict(list)
    for one in standing:
        parts[_part(one)].append(one)
    return parts


def _part(one: Standing) -> tuple[AppId, str, str]:
    return one.app, one.identity.kind, without_hashes(one.identity.name)


def without_hashes(name: str) -> str:
    """The name that all runs share."""
    return _RUN.sub("-", name)


def _newest(standing: Iterable[Standing], proposal: Proposal) -> Standing | None:
    """Of several earlier runs, the one of the highest attempt."""

    def rank(one: Standing) -> tuple[int, str]:
        seal = proposal.seals_before.get(seal_path(one.app, one.identity.name))
        return seal.attempt if seal else 0, one.identity.name

    return max(standing, key=rank, default=None)
