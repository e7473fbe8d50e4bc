"""What commands record in seals: how runs ended, and why they are rendered anew."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from trainshed.engine.client import Caller
from trainshed.load import load_inputs
from trainshed.load.manifest_files import read_manifests
from trainshed.load.seals import load_seals, read_seals
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, has_errors, sort_findings
from trainshed.model.files import RenderedObject
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan
from trainshed.model.remember import Remember, make_anew
from trainshed.model.seal import Seal, SealedRun, SealedRuns
from trainshed.model.selection import Selection
from trainshed.pipeline import Comparison, compare_specs
from trainshed.report.changes import Changes
from trainshed.report.commit import recover
from trainshed.report.terminal import Progress
from trainshed.resolve import resolve_plan
from trainshed.seal.archive import Fate, Shown, State, ask_kubectl, read_archive
from trainshed.seal.reseal import find_runs, with_reason
from trainshed.seal.runs import write_seal

ReadInput: TypeAlias = Callable[[int], bytes]

ABOUT_FILES = frozenset(
    {
        Code.EMPTY_FILE,
        Code.ENCODING,
        Code.FILE_NAME,
        Code.FILE_TOO_LARGE,
        Code.NOT_A_FILE,
        Code.SYMLINK,
        Code.UNREADABLE_FILE,
    }
)
"""Codes of findings that say nothing of what stands in a file."""


@dataclass(frozen=True, slots=True)
class Resealed:
    """A run's seal before and after it is rendered anew."""

    before: Seal
    after: Seal

    @property
    def is_changed(self) -> bool:
        """Whether another object came of it."""
        return (self.before.files, self.before.claims) != (self.after.files, self.after.claims)

    @property
    def resumes(self) -> bool:
        """Whether it trains the same thing, and goes on from the checkpoints that it has."""
        return self.before.lineage == self.after.lineage


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a command would write, and of which runs; no changes where there is nothing to, or an error stands there."""

    changes: Changes | None
    findings: Findings
    shown: tuple[Shown, ...] = ()
    resealed: tuple[Resealed, ...] = ()


def archive_runs(
    root: Path,
    cluster: str,
    paths: Sequence[str],
    read_input: ReadInput,
    state: State | None,
    engine: Caller,
    progress: Progress,
    remember: Remember = make_anew,
) -> Recorded:
    """The tree without the runs that have ended, by what `kubectl get -o json` printed of a cluster.

    Raises SelectionError where the specs have no cluster of the name.
    """
    known = read_runs(root, progress)
    if known.value is None:
        return Recorded(None, known.findings)
    plan, sealed = known.value
    chosen = Selection(clusters=frozenset({cluster})).choose(plan)
    progress.show("reading objects")
    given, wrong = _read_objects(root, paths, cluster, read_input, sealed)
    shown = read_archive(given, sealed, chosen, cluster, state)
    findings = sort_findings(wrong + shown.findings)
    fates = shown.value or ()
    ended = tuple(one.run for one in fates if one.fate is Fate.ENDED and one.run is not None)
    if not ended or has_errors(findings):
        return Recorded(None, findings, fates)
    comparison = _compare(root, ended, engine, progress, remember)
    return Recorded(comparison.changes, sort_findings(findings + comparison.findings), fates)


def reseal_runs(
    root: Path,
    name: str,
    cluster: str | None,
    why: str,
    engine: Caller,
    progress: Progress,
    remember: Remember = make_anew,
) -> Recorded:
    """The tree with a run rendered anew under its name, on one cluster or on all that hold it, as far as it changes.

    Raises SelectionError where there is no such run, or it is not to be rendered.
    """
    known = read_runs(root, progress)
    if known.value is None:
        return Recorded(None, known.findings)
    plan, sealed = known.value
    chosen = Selection(clusters=frozenset({cluster} if cluster else ())).choose(plan)
    asked = with_reason(find_runs(name, cluster, chosen, sealed), why)
    comparison = _compare(root, asked, engine, progress, remember)
    changes = comparison.changes
    if changes is None:
        return Recorded(None, comparison.findings)
    resealed = [(run, pair) for run in asked if (pair := _resealed(run, changes)).is_changed]
    if not resealed:
        return Recorded(None, ())
    if len(resealed) < len(asked):
        still = (run for run, _ in resealed)
        comparison = _compare(root, still, engine, progress, remember)
    return Recorded(comparison.changes, comparison.findings, resealed=tuple(pair for _, pair in resealed))


def read_runs(root: Path, progress: Progress) -> Outcome[tuple[Plan, SealedRuns]]:
    """What the specs ask for and which runs are sealed, once a render that crashed is finished.

    The findings are those that stand in the way: whatever else there is to say is said when the specs are rendered.
    """
    recovered = recover(root)
    if recovered.has_errors:
        return Outcome(None, recovered.findings)
    progress.show("reading specs")
    inputs = load_inputs(root)
    if inputs.value is None or inputs.has_errors:
        return Outcome(None, inputs.findings)
    sealed = load_seals(inputs.value.committed, inputs.value.committed)
    if sealed.value is None:
        return Outcome(None, sealed.findings)
    plan = resolve_plan(inputs.value, sealed.value)
    if plan.value is None or plan.has_errors:
        return Outcome(None, plan.findings)
    return Outcome((plan.value, sealed.value))


def _read_objects(
    root: Path, paths: Sequence[str], cluster: str, read_input: ReadInput, sealed: SealedRuns
) -> tuple[tuple[RenderedObject, ...], Findings]:
    """What kubectl printed. A list without objects is no fault, nothing at all is. No finding quotes what was read."""
    given = read_manifests(root, paths, cluster, read_input)
    objects, texts = (given.value.objects, given.value.lines.values()) if given.value else ((), ())
    said = any(line is None or line.strip() for lines in texts for line in lines)
    command = f"{ask_kubectl(sealed, cluster)} | trainshed archive --cluster {cluster}"
    kept = (one for one in given.findings if one.code is not Code.EMPTY_FILE or not said)
    return objects, tuple(_without_quotes(finding, command) for finding in kept)


def _without_quotes(finding: Diagnostic, command: str) -> Diagnostic:
    """The finding; if it is about what stands in the input, without its words, for a cluster's objects hold secrets."""
    summary = finding.summary if finding.code in ABOUT_FILES else finding.code.meaning
    return replace(finding, summary=summary, detail=f"take what kubectl prints, as it is: `{command}`")


def _compare(
    root: Path, runs: Iterable[SealedRun], engine: Caller, progress: Progress, remember: Remember
) -> Comparison:
    """What a render of these runs' jobs would change, were their seals as they are here."""
    seals = {run.path: run.seal for run in runs}
    told = {path: write_seal(seal).encode() for path, seal in seals.items()}
    jobs = frozenset(f"{seal.team}/{seal.job}" for seal in seals.values())
    return compare_specs(root, Selection(jobs=jobs), engine, progress, told=told, remember=remember)


def _resealed(run: SealedRun, changes: Changes) -> Resealed:
    """The run's seal, and the one that rendering it anew makes."""
    return Resealed(run.seal, read_seals({run.path: changes.wanted[run.path]})[run.path])
