"""A pull request, for those who merge it: what it changes, and what it asks of queues and pools."""

from dataclasses import dataclass
from pathlib import Path

from trainshed.engine.client import Caller
from trainshed.load.committed import read_committed
from trainshed.load.seals import read_seals
from trainshed.load.spec_pairs import read_spec_pairs
from trainshed.model.asks import Prospect
from trainshed.model.diagnostic import Findings, Severity, sort_findings
from trainshed.model.inputs import BaseError
from trainshed.model.outcome import Outcome
from trainshed.model.review import Proposal, Review
from trainshed.model.selection import Selection
from trainshed.pipeline import read_base, render_specs
from trainshed.report.terminal import Progress
from trainshed.review import review_change
from trainshed.review.asks import foresee
from trainshed.validate.asks import read_asks


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a pull request changes, None where an error stood in the way, and what is wrong with it."""

    review: Review | None
    findings: Findings


def review_specs(root: Path, selection: Selection, engine: Caller, progress: Progress, base: str) -> Reviewed:
    """What the specs below `root` render to against what `base` holds, as a reviewer has to know it."""
    from trainshed.load.git_base import load_base  # as in read_base

    journey = render_specs(root, selection, engine, progress, base)
    if journey.plan is None or journey.rendered is None:
        return Reviewed(None, journey.findings)
    progress.show("comparing")
    selects = selection.select_paths(journey.plan)
    try:
        merged = load_base(root, base).value
        if merged is None:
            return Reviewed(None, journey.findings)
        before = {
            path: merged.files[path] for path in merged.files if path.parts[0] != "specs" and selects(path)
        }
        after = {path: text.encode() for path, text in journey.rendered.files.items() if selects(path)}
        proposal = Proposal(
            commit=merged.commit,
            before={path: content for path, content in before.items() if path.parts[0] == "rendered"},
            after={path: content for path, content in after.items() if path.parts[0] == "rendered"},
            seals_before=read_seals(before),
            seals_after=read_seals(after),
            specs=read_spec_pairs(root, merged.files),
            objects=journey.rendered.objects,
            plan=journey.plan,
            errors=sum(finding.severity is Severity.ERROR for finding in journey.findings),
        )
    except BaseError as unreadable:
        return Reviewed(None, sort_findings((*journey.findings, unreadable.finding)))
    return Reviewed(review_change(proposal, engine), journey.findings)


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a change asks of queues and pools, None where an error stood in the way, and what is wrong with it."""

    prospect: Prospect | None
    findings: Findings


def foresee_asks(
    root: Path, cluster: str | None, engine: Caller, progress: Progress, base: str | None = None
) -> Foreseen:
    """What the specs below `root` ask for against what `base` holds, on all clusters or on one.

    None for `base` stands for what is committed in the working tree. Raises SelectionError for an unknown cluster.
    """
    selection = Selection(clusters=frozenset({cluster} if cluster else ()))
    journey = render_specs(root, selection, engine, progress, base)
    if journey.plan is None or journey.rendered is None:
        return Foreseen(None, journey.findings)
    progress.show("counting")
    try:
        before = Outcome(read_committed(root)) if base is None else read_base(root, base)
        if before.value is None:
            return Foreseen(None, journey.findings)
        sides = read_asks(journey.plan, journey.rendered, before.value, root, engine, cluster)
    except BaseError as unreadable:
        return Foreseen(None, sort_findings((*journey.findings, unreadable.finding)))
    return Foreseen(foresee(*sides, journey.plan, base or "what is committed"), journey.findings)
