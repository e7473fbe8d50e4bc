"""The way of the commands down the street. Imported only for what is not known yet: it takes most of a start."""

import os
import sys
from pathlib import Path, PurePosixPath

from trainshed.cache.notebook import Notebook
from trainshed.cache.verdicts import Verdict
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import sort_findings
from trainshed.model.plan import Plan
from trainshed.model.selection import Selection
from trainshed.pipeline import compare_specs
from trainshed.report.changes import Changes
from trainshed.report.commit import commit_changes
from trainshed.report.drift import find_drift
from trainshed.report.terminal import open_progress


def check_specs(root: Path, selection: Selection, base: str | None, notebook: Notebook) -> Verdict:
    """What is wrong with the specs, and where the generated files are not what they say."""
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        comparison = compare_specs(
            root, selection, engine, progress, base, remember=notebook.remember, seen=notebook.seen
        )
    plan, changes, findings = comparison.plan, comparison.changes, comparison.findings
    if plan is None or changes is None:
        return Verdict(findings)
    touched = (*changes.written, *changes.removed)
    findings += find_drift(changes, spec_of_files(plan, touched), run_of_files(plan), base)
    return Verdict(sort_findings(findings), len(changes.wanted))


def write_specs(
    root: Path, selection: Selection, base: str | None, notebook: Notebook
) -> tuple[Verdict, Changes | None]:
    """What is wrong with the specs, and what was done to the generated files if nothing is."""
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        comparison = compare_specs(
            root, selection, engine, progress, base, remember=notebook.remember, seen=notebook.seen
        )
        changes, findings = comparison.changes, comparison.findings
        if changes is None:
            return Verdict(findings), None
        progress.show("writing")
        findings += commit_changes(root, changes)
    return Verdict(sort_findings(findings), len(changes.wanted)), changes


def spec_of_files(plan: Plan, files: tuple[PurePosixPath, ...]) -> dict[PurePosixPath, PurePosixPath]:
    """The spec to edit in place of each generated file of a job."""
    specs = {target.app: target.path for target in plan.targets}
    return {path: specs[part] for path in files for part in path.parts[1:3] if part in specs}


def run_of_files(plan: Plan) -> dict[PurePosixPath, str]:
    """The sealed run that each of its files belongs to."""
    standing = (run for target in plan.targets for run in target.life.standing)
    return {path: run.seal.run for run in standing for path in (*run.files, *run.claims, run.path)}
