"""What follows from an edited file: runs that start and end, objects that change, runs that stay as they are."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from trainshed.model.manifest import AppId
from trainshed.model.naming import job_app
from trainshed.model.plan import Target
from trainshed.model.review import FieldChange, ObjectChange, Proposal, RunChange, RunVerb, SpecPair, Verb
from trainshed.review.groups import CLAIMS
from trainshed.review.workloads import is_workload

_RUNS = {
    RunVerb.RESTARTS: "restarts {}",
    RunVerb.ENDS: "ends {}",
    RunVerb.STARTS: "starts {}",
    RunVerb.RESEALED: "renders {} anew",
    RunVerb.STOPS: "stops {}",
    RunVerb.CHANGES: "changes {} in place",
    RunVerb.ARCHIVED: "records how {} ended",
}
_OBJECTS = {
    Verb.DELETED: "deletes",
    Verb.REPLACED: "replaces",
    Verb.CHANGED: "changes",
    Verb.CREATED: "creates",
}
_MOST_KINDS = 4

Line: TypeAlias = tuple[PurePosixPath, int]


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that changes, by the file behind it.

    `older` are sealed runs that today's words are not in, each with the lines that it would be rendered from today.
    """

    runs: Mapping[PurePosixPath, Collection[RunChange]]
    objects: Mapping[PurePosixPath, Collection[ObjectChange]]
    older: Collection[tuple[Target, frozenset[Line]]]

    @classmethod
    def of(cls, proposal: Proposal, objects: Iterable[ObjectChange], runs: Iterable[RunChange]) -> "Effects":
        """Each change at each file that it comes from."""
        by_app = {AppId(run.cluster, job_app(run.team, run.job)): run for run in runs}
        files: defaultdict[PurePosixPath, dict[AppId, RunChange]] = defaultdict(dict)
        for app, run in by_app.items():
            files[run.source.path][app] = run
        older: list[tuple[Target, frozenset[Line]]] = []
        for target in proposal.plan.targets:
            app = AppId(target.cluster.name, target.app)
            if app in by_app:
                for path in (target.path, *(file.path for file in target.code_files)):
                    files[path][app] = by_app[app]
            elif is_older(target):
                lines = ((source.path, source.line) for source in target.sources.fields.values())
                older.append((target, frozenset(lines)))
        changed: defaultdict[PurePosixPath, list[ObjectChange]] = defaultdict(list)
        for one in objects:
            for path in files_behind(one):
                changed[path].append(one)
        return cls({path: tuple(found.values()) for path, found in files.items()}, changed, older)

    def follow(self, pair: SpecPair, kept: Iterable[Target]) -> Iterator[str]:
        """A sentence for each sort of thing that follows from an edited file; `kept` are the runs that it passes by."""
        runs, objects = self.runs.get(pair.path, ()), self.objects.get(pair.path, ())
        yield from _tell_runs(runs)
        yield from _tell_objects(objects)
        yield from _tell_taken(objects, runs)
        yield from _tell_sealed(kept)

    def pass_by(self, pair: SpecPair, word: FieldChange) -> list[Target]:
        """The runs that would take a word of a team, preset or cluster, and do not, for they are sealed."""
        if pair.tree_after is None or pair.tree_after.kind == "TrainingJob" or word.source is None:
            return []
        line = (pair.path, word.source.line)
        if word.after is None:
            return [target for target, behind in self.older if _may_concern(pair, target, behind)]
        return [target for target, behind in self.older if line in behind]


def is_older(target: Target) -> bool:
    """Whether its run is sealed under other words than today's."""
    current = target.life.current
    return current is not None and current.seal.defaults != target.defaults


def files_behind(one: ObjectChange) -> set[PurePosixPath]:
    """The specs that an object, and what changed in it, comes from."""
    return {one.source.path, *(field.source.path for field in one.fields if field.source)}


def count_unexplained(proposal: Proposal, objects: Iterable[ObjectChange]) -> int:
    """Objects that differ though no file behind them does: another release of trainshed, or a base that was stale."""
    edited = {pair.path for pair in proposal.specs}
    return sum(edited.isdisjoint(files_behind(one)) for one in objects)


def _tell_runs(runs: Iterable[RunChange]) -> Iterator[str]:
    for verb, number in Counter(run.verb for run in runs).items():
        yield _RUNS[verb].format(_count(number, "run"))


def _tell_objects(objects: Iterable[ObjectChange]) -> Iterator[str]:
    """Objects of the platform, and claims; what else a job has comes and goes with its run."""
    listed = [one for one in objects if not one.app.app.startswith("job-") or one.identity.kind in CLAIMS]
    for verb, words in _OBJECTS.items():
        named = _name_kinds(one for one in listed if one.verb is verb and not one.stays)
        if named:
            yield f"{words} {named}"
    staying = _name_kinds(one for one in listed if one.stays)
    if staying:
        yield f"lets go of {staying}, which stay in the cluster"


def _name_kinds(objects: Iterable[ObjectChange]) -> str:
    """`2 ConfigMap, 1 Role`, the most frequent first; empty for none."""
    kinds = Counter(one.identity.kind for one in objects).most_common()
    named = ", ".join(f"{number} {kind}" for kind, number in kinds[:_MOST_KINDS])
    more = sum(number for _, number in kinds[_MOST_KINDS:])
    return f"{named} and {more} more" if more else named


def _tell_taken(objects: Iterable[ObjectChange], runs: Iterable[RunChange]) -> Iterator[str]:
    """Runs that start for another reason, and take the new words."""
    own = {AppId(run.cluster, job_app(run.team, run.job)) for run in runs}
    carriers = (one for one in objects if is_workload(one.identity.kind) and one.verb is not Verb.CHANGED)
    starting = {one.app for one in carriers if one.fields}
    number = len(starting - own)
    if number:
        yield f"is taken by {_count(number, 'run')} that {'starts' if number == 1 else 'start'} with this change"


def _tell_sealed(kept: Iterable[Target]) -> Iterator[str]:
    for team, number in sorted(Counter(target.team.name for target in kept).items()):
        stay = f"{_count(number, 'run')} of team {team} {'stays' if number == 1 else 'stay'}"
        yield f"{stay} sealed under the old words: the next edit or attempt takes the new"


def _may_concern(pair: SpecPair, target: Target, behind: frozenset[Line]) -> bool:
    """Whether a word that is gone may have been the target's: no line is left that would tell."""
    tree = pair.tree_after
    name = tree.data.get("name") if tree else None
    if tree and tree.kind == "Team":
        return target.team.name == name
    if tree and tree.kind == "Cluster":
        return target.cluster.name == name
    return any(path == pair.path for path, _ in behind)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
