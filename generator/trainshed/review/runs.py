"""What a merge does to each job on each cluster: which runs start, end and go on."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from trainshed.model.manifest import AppId, JsonObject
from trainshed.model.naming import job_app
from trainshed.model.plan import Target
from trainshed.model.review import FieldChange, ObjectChange, Proposal, RunChange, RunVerb, Verb
from trainshed.model.seal import Seal
from trainshed.model.source import Source
from trainshed.review.origins import Blame
from trainshed.review.pairs import Pair
from trainshed.review.sentences import Turn, write_sentences
from trainshed.review.words import is_trained
from trainshed.review.workloads import derive_seal, grace_of, is_workload, lasts

ORDER = tuple(RunVerb)


class _Key(NamedTuple):
    cluster: str
    team: str
    job: str

    @property
    def app(self) -> AppId:
        return AppId(self.cluster, job_app(self.team, self.job))


@dataclass(frozen=True, slots=True)
class _Job:
    """A job on a cluster: its records on both sides, and the objects that carry it and differ."""

    key: _Key
    before: Mapping[str, Seal]
    after: Mapping[str, Seal]
    pairs: tuple[Pair, ...]
    fields: Mapping[str, tuple[FieldChange, ...]]
    target: Target | None
    source: Source

    def standing(self, side: Mapping[str, Seal]) -> list[str]:
        return [run for run, seal in side.items() if seal.stands]


def find_runs(
    pairs: Iterable[Pair], objects: Iterable[ObjectChange], proposal: Proposal, blame: Blame
) -> tuple[RunChange, ...]:
    """A row for each job and cluster where a run, or a record of one, changes; the gravest first."""
    workloads: defaultdict[AppId, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.is_of_job and is_workload(pair.kind):
            workloads[pair.app].append(pair)
    before, after = _by_job(proposal.seals_before.values()), _by_job(proposal.seals_after.values())
    for seal in proposal.seals_after.values():
        key = _Key(seal.cluster, seal.team, seal.job)
        if seal.files and all(key.app.folder / name in proposal.before for name in seal.files):
            before.setdefault(key, {}).setdefault(seal.run, seal)
    for app, found in workloads.items():
        _add_unsealed(app, found, before, after)
    fields: defaultdict[AppId, dict[str, tuple[FieldChange, ...]]] = defaultdict(dict)
    mounted: defaultdict[AppId, tuple[FieldChange, ...]] = defaultdict(tuple)
    for change in objects:
        if is_workload(change.identity.kind):
            fields[change.app][change.identity.name] = change.fields
        elif change.identity.kind == "ConfigMap" and change.app.app.startswith("job-"):
            mounted[change.app] += tuple(field for field in change.fields if field.added or field.removed)
    targets = {_Key(one.cluster.name, one.team.name, one.job): one for one in proposal.plan.targets}
    edited = frozenset(pair.path for pair in proposal.specs)
    turns: list[RunChange] = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, {}), after.get(key, {})
        if old == new and not workloads.get(key.app):
            continue
        target = targets.get(key)
        source = target.sources.whole if target else blame.spec_of(key.app)
        told = {run: (*own, *mounted.get(key.app, ())) for run, own in fields.get(key.app, {}).items()}
        job = _Job(key, old, new, tuple(workloads.get(key.app, ())), told, target, source)
        turns.extend(replace(turn, source=_source(job, turn, blame, edited)) for turn in _turns_of(job))
    return tuple(sorted(turns, key=lambda run: (ORDER.index(run.verb), run.team, run.job, run.cluster)))


def _by_job(seals: Iterable[Seal]) -> dict[_Key, dict[str, Seal]]:
    jobs: defaultdict[_Key, dict[str, Seal]] = defaultdict(dict)
    for seal in seals:
        jobs[_Key(seal.cluster, seal.team, seal.job)][seal.run] = seal
    return jobs


def _add_unsealed(
    app: AppId,
    pairs: Iterable[Pair],
    before: dict[_Key, dict[str, Seal]],
    after: dict[_Key, dict[str, Seal]],
) -> None:
    """Records for what no seal speaks of: a run from before there were seals, a schedule, a Ray cluster."""
    for pair in pairs:
        for side, standing in ((before, pair.before), (after, pair.after)):
            seal = derive_seal(app.cluster, standing.body) if standing else None
            if seal is not None:
                side.setdefault(_Key(seal.cluster, seal.team, seal.job), {}).setdefault(seal.run, seal)


def _turns_of(job: _Job) -> Iterator[RunChange]:
    old, new = job.standing(job.before), job.standing(job.after)
    starts = [run for run in new if run not in old]
    gone = [run for run in old if run not in new]
    archived = [run for run in gone if run in job.after and job.after[run].outcome]
    stopped = [run for run in gone if run in job.after and run not in archived]
    ends = [run for run in gone if run not in archived and run not in stopped]
    for run in starts:
        ended = ends.pop(0) if ends else ""
        verb = RunVerb.RESTARTS if ended else RunVerb.STARTS
        kept = tuple(name for name in old if name in new)
        yield _turn(job, verb, job.after[run], starts=run, ends=ended, keeps=kept)
    for run in ends:
        yield _turn(job, RunVerb.ENDS, job.before[run], ends=run)
    for run in stopped:
        yield _turn(job, RunVerb.STOPS, job.after[run], ends=run)
    recorded = [run for run, seal in job.after.items() if seal.outcome and run in job.before]
    for run in recorded:
        if job.before[run].outcome is None:
            yield _turn(job, RunVerb.ARCHIVED, job.after[run], ends=run if run in archived else "")
    for run in (run for run in new if run in old):
        yield from _changes_in_place(job, run)


def _changes_in_place(job: _Job, run: str) -> Iterator[RunChange]:
    seal = job.after[run]
    changed = next(
        (pair for pair in job.pairs if pair.identity.name == run and pair.verb is Verb.CHANGED), None
    )
    if len(seal.resealed) > len(job.before[run].resealed):
        yield replace(_turn(job, RunVerb.RESEALED, seal), quote=seal.resealed[-1])
    elif changed is not None and job.fields.get(run):
        yield _turn(job, RunVerb.CHANGES, seal)


def _turn(
    job: _Job, verb: RunVerb, seal: Seal, starts: str = "", ends: str = "", keeps: tuple[str, ...] = ()
) -> RunChange:
    saving = job.target.checkpoint if job.target and job.target.run == starts else None
    resumes = _find_checkpoint(job, seal) if saving and saving.resume != "never" else ""
    body = _body(job, starts or seal.run)
    turn = Turn(
        verb=verb,
        kind=seal.kind,
        run=seal.run,
        starts=starts,
        ends=ends,
        keeps=keeps,
        resumes=resumes,
        attempt=seal.attempt,
        lasts=lasts(seal.kind),
        grace_seconds=grace_of(_old_body(job, ends)),
        checkpoint=saving,
        outcome=seal.outcome,
        again=_ended_before(job, starts),
        body=body,
        trained=tuple(field.words for field in job.fields.get(starts, ()) if is_trained(field)),
    )
    return RunChange(
        verb=verb,
        team=job.key.team,
        job=job.key.job,
        cluster=job.key.cluster,
        kind=seal.kind,
        starts=starts,
        ends=ends,
        keeps=keeps,
        resumes=resumes,
        attempt=seal.attempt,
        sentences=write_sentences(turn),
        fields=job.fields.get(starts or seal.run, ()),
        source=job.source,
    )


def _find_checkpoint(job: _Job, seal: Seal) -> str:
    """The latest earlier run of the same lineage."""
    same = [one for one in job.before.values() if one.lineage == seal.lineage and seal.lineage]
    return max(same, key=lambda one: (one.stands, one.attempt, one.run)).run if same else ""


def _ended_before(job: _Job, starts: str) -> str:
    """How this very run ended before: it is started again under its old name."""
    earlier = job.before.get(starts)
    if earlier is None:
        return ""
    return earlier.outcome.state if earlier.outcome else "stopped"


def _body(job: _Job, run: str) -> JsonObject:
    return next((pair.new for pair in job.pairs if pair.after and pair.after.identity.name == run), {})


def _old_body(job: _Job, run: str) -> JsonObject:
    return next((one.before.body for one in job.pairs if one.before and one.before.identity.name == run), {})


def _source(job: _Job, turn: RunChange, blame: Blame, edited: Collection[PurePosixPath]) -> Source:
    """The edited word that the change comes from; else the edited code; else the job's name."""
    if job.target is None:
        return job.source
    written = job.target.sources
    words = [written.find(word) for word in ("state", "attempt") if written.has(word)]
    words += [field.source for field in turn.fields if field.source]
    code = [Source(file.path) for file in job.target.code_files if file.path in edited]
    if turn.verb is not RunVerb.CHANGES:  # a run starts and ends by its own job's words alone
        words = [source for source in words if source.path == job.source.path]
    return next((source for source in words if source in blame.edited), (*code, job.source)[0])
