"""The street: the one place that knows the order of the stages."""

from dataclasses import dataclass
from pathlib import Path

from trainshed.compile import compile_manifests
from trainshed.engine.client import Caller
from trainshed.hydrate import hydrate_tree
from trainshed.load import load_inputs
from trainshed.model.diagnostic import Findings, has_errors, sort_findings
from trainshed.model.files import Rendered
from trainshed.model.plan import Plan
from trainshed.model.selection import Selection
from trainshed.overlay import overlay_manifests
from trainshed.report.changes import Changes, plan_changes
from trainshed.report.commit import recover
from trainshed.report.terminal import Progress
from trainshed.resolve import resolve_plan
from trainshed.validate import validate_rendered


@dataclass(frozen=True, slots=True)
class Journey:
    """How far the specs came: the plan and what was rendered, None where an error stood in the way."""

    plan: Plan | None
    rendered: Rendered | None
    findings: Findings

    @property
    def has_errors(self) -> bool:
        """Whether nothing of this may be written."""
        return self.rendered is None or has_errors(self.findings)


def render_specs(root: Path, selection: Selection, engine: Caller, progress: Progress) -> Journey:
    """From the specs below `root` to everything that Argo CD will sync. Stops after a stage that found an error."""
    progress.show("reading specs")
    inputs = load_inputs(root)
    findings = inputs.findings
    if inputs.value is None or inputs.has_errors:
        return Journey(None, None, findings)

    progress.show("resolving")
    plan = resolve_plan(inputs.value)
    findings += plan.findings
    if plan.value is None or plan.has_errors:
        return Journey(plan.value, None, sort_findings(findings))
    chosen = selection.choose(plan.value)

    progress.show("compiling")
    manifests = compile_manifests(chosen)
    if manifests.value is None or manifests.has_errors:
        return Journey(plan.value, None, sort_findings(findings + manifests.findings))

    tree = overlay_manifests(manifests.value)
    if tree.value is None or tree.has_errors:
        return Journey(plan.value, None, sort_findings(findings + tree.findings))

    progress.show("building overlays")
    rendered = hydrate_tree(tree.value, engine)
    findings += rendered.findings
    if rendered.value is None or rendered.has_errors:
        return Journey(plan.value, None, sort_findings(findings))

    progress.show("judging")
    findings += validate_rendered(rendered.value, chosen, inputs.value, root, engine)
    return Journey(plan.value, rendered.value, sort_findings(findings))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a render would change; no changes where an error stood in the way."""

    plan: Plan | None
    changes: Changes | None
    findings: Findings


def compare_specs(root: Path, selection: Selection, engine: Caller, progress: Progress) -> Comparison:
    """What the specs say against what stands in the generated folders, once a render that crashed is finished."""
    recovered = recover(root)
    if recovered.has_errors:
        return Comparison(None, None, recovered.findings)
    journey = render_specs(root, selection, engine, progress)
    if journey.plan is None or journey.rendered is None or journey.has_errors:
        return Comparison(journey.plan, None, journey.findings)
    progress.show("comparing")
    changes = plan_changes(root, journey.rendered.files, selects=selection.select_paths(journey.plan))
    return Comparison(journey.plan, changes.value, sort_findings(journey.findings + changes.findings))
