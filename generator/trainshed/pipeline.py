"""The street: the one place that knows the order of the stages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TypeAlias

from trainshed.compile import compile_manifests
from trainshed.engine.client import Caller
from trainshed.hydrate import hydrate_tree
from trainshed.load import load_inputs
from trainshed.load.manifest_files import read_committed_objects, read_manifests
from trainshed.load.seals import load_seals
from trainshed.model.cluster import Cluster
from trainshed.model.diagnostic import Findings, has_errors, sort_findings
from trainshed.model.files import Rendered, RenderedObject
from trainshed.model.grounds import Grounds
from trainshed.model.inputs import BaseError
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan
from trainshed.model.remember import Remember, make_anew
from trainshed.model.selection import Selection, SelectionError
from trainshed.model.shipped import own_release
from trainshed.model.snapshot import Snapshot
from trainshed.model.suggest import did_you_mean
from trainshed.overlay import overlay_manifests
from trainshed.report.changes import Changes, plan_changes
from trainshed.report.commit import recover
from trainshed.report.terminal import Progress
from trainshed.report.tree import Tree
from trainshed.resolve import resolve_plan
from trainshed.seal import expect, join_sealed, seal_runs
from trainshed.validate import judge_objects, unused_waivers, validate_rendered

Files: TypeAlias = Mapping[PurePosixPath, bytes]
NOTHING: Files = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Journey:
    """How far the specs came: the plan and what was rendered, None where an error stood in the way.

    `committed` holds what was read of the generated folders.
    """

    plan: Plan | None
    rendered: Rendered | None
    findings: Findings
    committed: Files = field(default_factory=dict[PurePosixPath, bytes])

    @property
    def has_errors(self) -> bool:
        """Whether nothing of this may be written."""
        return self.rendered is None or has_errors(self.findings)


def render_specs(
    root: Path,
    selection: Selection,
    engine: Caller,
    progress: Progress,
    base: str | None = None,
    told: Files = NOTHING,
    remember: Remember = make_anew,
    seen: Snapshot | None = None,
) -> Journey:
    """From the specs below `root` to everything that Argo CD will sync. Stops after a stage that found an error.

    `base` names the commit that the change is made upon, whose runs are sealed; None stands for what is committed in
    the working tree. `told` holds seals, by path, as a command would write them; `seen` is what stands in the generated
    folders, where somebody has looked already.
    """
    try:
        return _walk(root, selection, engine, progress, base, told, remember, seen)
    except BaseError as unreadable:
        return Journey(None, None, (unreadable.finding,))


def _walk(
    root: Path,
    selection: Selection,
    engine: Caller,
    progress: Progress,
    base: str | None,
    told: Files,
    remember: Remember,
    seen: Snapshot | None,
) -> Journey:
    """The stages in their order. Raises BaseError where a file of the base cannot be read."""
    progress.show("reading specs")
    inputs = load_inputs(root, remember, seen)
    findings = inputs.findings
    if inputs.value is None or inputs.has_errors:
        return Journey(None, None, findings)
    before = Outcome(inputs.value.committed) if base is None else read_base(root, base)
    findings += before.findings
    if before.value is None:
        return Journey(None, None, sort_findings(findings))

    now = {**inputs.value.committed, **told} if told else inputs.value.committed
    sealed = load_seals(before.value, now)
    findings += sealed.findings
    if sealed.value is None:
        return Journey(None, None, sort_findings(findings))

    progress.show("resolving")
    grounds = Grounds.of(inputs.value)
    plan = resolve_plan(inputs.value, sealed.value, remember, grounds)
    findings += plan.findings
    if plan.value is None or plan.has_errors:
        return Journey(plan.value, None, sort_findings(findings))
    chosen = selection.choose(plan.value)

    progress.show("compiling")
    compiled = compile_manifests(chosen, grounds.common, remember)
    findings += compiled.findings
    if compiled.value is None or compiled.has_errors:
        return Journey(plan.value, None, sort_findings(findings))

    manifests = join_sealed(chosen, compiled.value, engine, remember)
    findings += manifests.findings
    if manifests.value is None or manifests.has_errors:
        return Journey(plan.value, None, sort_findings(findings))

    tree = overlay_manifests(manifests.value)
    if tree.value is None or tree.has_errors:
        return Journey(plan.value, None, sort_findings(findings + tree.findings))

    progress.show("building overlays")
    hydrated = hydrate_tree(tree.value, before.value, engine, remember)
    findings += hydrated.findings
    if hydrated.value is None or hydrated.has_errors:
        return Journey(plan.value, None, sort_findings(findings))

    rendered = seal_runs(chosen, compiled.value, hydrated.value, before.value, own_release)
    findings += rendered.findings
    if rendered.value is None or rendered.has_errors:
        return Journey(plan.value, None, sort_findings(findings))

    expect(chosen, rendered.value, remember)
    progress.show("judging")
    findings += validate_rendered(
        rendered.value, chosen, _as_sealed(before.value, chosen), root, engine, remember
    )
    if selection.is_all:  # a waiver may be used on a cluster that is not looked at
        findings += tuple(unused_waivers(plan.value.targets, findings))
    return Journey(plan.value, rendered.value, sort_findings(findings), inputs.value.committed)


def _as_sealed(before: Files, plan: Plan) -> Files:
    """What is committed, without the files of sealed runs that somebody has changed since: no cluster has those."""
    renewed = (target.life.renewed for target in plan.targets)
    touched = {path for run in renewed if run is not None for path in run.broken}
    return {path: before[path] for path in before if path not in touched} if touched else before


def read_base(root: Path, ref: str) -> Outcome[Mapping[PurePosixPath, bytes]]:
    """The generated files of the base branch, and what there is to say about it."""
    from trainshed.load.git_base import load_base  # dulwich takes 0.1 s to import: only --base pays for it

    base = load_base(root, ref)
    return Outcome(base.value and base.value.files, base.findings)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a render would change; no changes where an error stood in the way."""

    plan: Plan | None
    changes: Changes | None
    findings: Findings


def compare_specs(
    root: Path,
    selection: Selection,
    engine: Caller,
    progress: Progress,
    base: str | None = None,
    told: Files = NOTHING,
    remember: Remember = make_anew,
    seen: Snapshot | None = None,
) -> Comparison:
    """What the specs say against what stands in the generated folders, once a render that crashed is finished."""
    recovered = recover(root)
    if recovered.has_errors:
        return Comparison(None, None, recovered.findings)
    still = None if recovered.value else seen
    journey = render_specs(root, selection, engine, progress, base, told, remember, still)
    if journey.plan is None or journey.rendered is None or journey.has_errors:
        return Comparison(journey.plan, None, journey.findings)
    progress.show("comparing")
    selects = selection.select_paths(journey.plan)
    changes = plan_changes(
        root,
        journey.rendered.files,
        selects=selects,
        read=journey.committed,
        tree=None if still is None else Tree.of(still),
    )
    return Comparison(journey.plan, changes.value, sort_findings(journey.findings + changes.findings))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is wrong with manifests of any origin, and the lines of their files that may be shown."""

    objects: tuple[RenderedObject, ...]
    lines: Mapping[PurePosixPath, tuple[str | None, ...]]
    findings: Findings


def judge_manifests(
    root: Path,
    paths: Sequence[str],
    cluster: str | None,
    read_input: Callable[[int], bytes],
    engine: Caller,
    progress: Progress,
) -> Judgement:
    """What the judges of rendered objects say about manifests of any origin.

    They judge for a cluster that the specs below `root` describe, beside what is committed for it; or, without one,
    for any cluster with the newest releases. Raises SelectionError where the specs describe no such cluster.
    """
    progress.show("reading manifests")
    given = read_manifests(root, paths, cluster or "", read_input)
    findings = given.findings
    if given.value is None:
        return Judgement((), {}, findings)
    objects, lines = given.value.objects, given.value.lines
    target: Cluster | None = None
    beside: tuple[RenderedObject, ...] = ()
    if cluster is not None:
        progress.show("reading specs")
        known = describe_cluster(root, cluster)
        if known.value is None:
            return Judgement(objects, lines, sort_findings(findings + known.findings))
        target, committed = known.value
        judged = {one.manifest.identity for one in objects}
        beside = tuple(one for one in committed if one.manifest.identity not in judged)
    if objects:
        progress.show("judging")
        findings += judge_objects(objects, target, beside, root, engine)
    return Judgement(objects, lines, sort_findings(findings))


def describe_cluster(root: Path, name: str) -> Outcome[tuple[Cluster, tuple[RenderedObject, ...]]]:
    """A cluster of the specs, and what is committed for it. Raises SelectionError where they have none of the name."""
    inputs = load_inputs(root)
    if inputs.value is None or inputs.has_errors:
        return Outcome(None, inputs.findings)
    sealed = load_seals(inputs.value.committed, inputs.value.committed)
    if sealed.value is None:
        return Outcome(None, inputs.findings + sealed.findings)
    plan = resolve_plan(inputs.value, sealed.value)
    if plan.value is None or plan.has_errors:
        return Outcome(None, inputs.findings + plan.findings)
    if name not in plan.value.clusters:
        raise SelectionError(f'there is no cluster "{name}"', did_you_mean(name, plan.value.clusters))
    return Outcome((plan.value.clusters[name], tuple(read_committed_objects(inputs.value.committed, name))))
