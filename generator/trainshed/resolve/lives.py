"""What becomes of each run: rendered now, kept as it was sealed, or over."""

from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.manifest import AppId
from trainshed.model.plan import Target
from trainshed.model.seal import Life, Seal, SealedRun, SealedRuns, refuse_change, soften
from trainshed.model.source import Source

MOST_NAMED = 5
"""How many runs a note names before it only counts them."""


def with_life(target: Target, sealed: SealedRuns) -> Target:
    """The target with what Git holds of its job on its cluster."""
    return replace(target, life=_live(target, sealed.get(AppId(target.cluster.name, target.app), ())))


def _live(target: Target, runs: Iterable[SealedRun]) -> Life:
    """What an edit, an attempt, a stop and an archive do, to the run that the spec asks for and to those before it."""
    asked = next((run for run in runs if _is_asked(run.seal, target)), None)
    others = [run for run in runs if run is not asked]
    ended = tuple(run for run in others if run.seal.outcome is not None)
    keeps = target.when_edited == "keep" and not target.stopped
    kept = tuple(run for run in others if keeps and run.seal.stands and not run.broken)
    if asked is None:
        return Life(renders=not target.stopped, kept=kept, ended=ended)
    if target.stopped or asked.seal.outcome is not None:
        stopped = replace(asked, seal=replace(asked.seal, stopped=asked.seal.outcome is None))
        return Life(renders=False, kept=kept, ended=(*ended, stopped), claims=asked.claims)
    if asked.seal.stopped or asked.renewed or asked.broken:
        return Life(kept=kept, ended=ended, renewed=asked)
    return Life(renders=False, current=asked, kept=kept, ended=ended, claims=asked.claims)


def _is_asked(seal: Seal, target: Target) -> bool:
    """Whether the spec still asks for this very run; that a default has changed its kind since is no matter."""
    return (seal.digest, seal.attempt) == (target.digest, target.attempt)


def settle(target: Target, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Today's findings about a job; of one whose run is sealed, or sealed and over, they are notes."""
    life = target.life
    is_sealed = life.current or any(_is_asked(run.seal, target) for run in life.ended)
    yield from map(soften, findings) if is_sealed else findings


def check_kept(targets: Iterable[Target], sealed: SealedRuns) -> Iterator[Diagnostic]:
    """Findings for files of kept runs that are not what was sealed: nothing can make them again."""
    for target in targets:
        if target.when_edited != "keep" or target.stopped:
            continue
        for run in sealed.get(AppId(target.cluster.name, target.app), ()):
            if run.seal.stands and not _is_asked(run.seal, target):
                yield from (refuse_change(path, run.seal.run) for path in run.broken)


def note_older(targets: Iterable[Target]) -> Iterator[Diagnostic]:
    """A note for each team whose runs are sealed under other defaults, and for each cluster under other releases."""
    defaults: dict[tuple[str, Source], list[str]] = {}
    releases: dict[tuple[str, Source], dict[str, str]] = {}
    for target in targets:
        if target.life.current is None:
            continue
        seal = target.life.current.seal
        if seal.defaults != target.defaults:
            place = (f'of team "{target.team.name}"', target.team.sources.find("name"))
            defaults.setdefault(place, []).append(seal.run)
        if changed := list(_release_changes(target, seal)):
            place = (f'on cluster "{target.cluster.name}"', target.cluster.source)
            releases.setdefault(place, {})[seal.run] = ", ".join(changed)
    for (whose, source), runs in defaults.items():
        yield _note(source, f"{_count(runs, whose)} sealed under older defaults than today's", runs)
    for (where, source), changes in releases.items():
        words = "; ".join(sorted(set(changes.values())))
        yield _note(
            source, f"{_count(changes, where)} sealed under other releases than today's", changes, words
        )


def _release_changes(target: Target, seal: Seal) -> Iterator[str]:
    for name, today in target.releases.items():
        before = seal.releases.get(name, today)
        if before != today:
            yield f"{name} {before}, today {today}"


def _note(source: Source, summary: str, runs: Iterable[str], words: str = "") -> Diagnostic:
    named = sorted(runs)
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    advice = f"{', '.join(named[:MOST_NAMED])}{more}; the next edit or attempt of each job takes today's"
    return Diagnostic(
        code=Code.SEALED_OLDER,
        severity=Severity.NOTE,
        summary=summary,
        source=source,
        detail=f"{words}\n{advice}".strip(),
    )


def _count(runs: Collection[str], whose: str) -> str:
    return f"1 run {whose} is" if len(runs) == 1 else f"{len(runs)} runs {whose} are"
