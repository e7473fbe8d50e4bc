"""`trainshed check`."""

import os
import sys
from pathlib import Path, PurePosixPath

import click

from trainshed.cli.options import format_option, only_option, repository_option
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import has_errors, sort_findings
from trainshed.model.plan import Plan
from trainshed.model.selection import Selection
from trainshed.pipeline import compare_specs
from trainshed.report.drift import find_drift
from trainshed.report.outcome import print_findings
from trainshed.report.terminal import open_progress


@click.command()
@repository_option
@only_option
@format_option
def check(root: Path, only: tuple[str, ...], form: str) -> int:
    """Say what is wrong with specs/, and where overlays/ and rendered/ are not what specs/ say.

    Writes nothing. Exit code 1 means findings.
    """
    selection = Selection.parse(only)
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        comparison = compare_specs(root, selection, engine, progress)
    plan, changes, findings = comparison.plan, comparison.changes, comparison.findings
    if plan is not None and changes is not None:
        findings += find_drift(changes, spec_of_files(plan, changes.written))
    code = print_findings(sort_findings(findings), root, form)
    if changes is not None and form == "text" and not has_errors(findings):
        click.echo(f"all is well: {len(changes.wanted)} files are what the specs say")
    return code


def spec_of_files(plan: Plan, files: tuple[PurePosixPath, ...]) -> dict[PurePosixPath, PurePosixPath]:
    """The spec to edit in place of each generated file of a job."""
    specs = {target.app: target.path for target in plan.targets}
    return {path: specs[part] for path in files for part in path.parts[1:3] if part in specs}
