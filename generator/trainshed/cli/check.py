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
from trainshed.report.outcome import SPOKEN, print_findings
from trainshed.report.terminal import open_progress


@click.command()
@repository_option
@only_option
@click.option(
    "--base",
    metavar="REF",
    help="Judge the change since this branch, tag or commit: since the commit where HEAD left it, as a pull request"
    " is shown.  [default: since what rendered/ holds in the working tree]",
)
@format_option
def check(root: Path, only: tuple[str, ...], base: str | None, form: str) -> int:
    """Say what is wrong with specs/, and where overlays/ and rendered/ are not what specs/ say.

    What specs/ render to comes before the code that will judge it in its cluster: the API server's, the operators',
    Pod Security, limits and quotas, Kueue's queues; and before the policies of clusters and teams.

    Writes nothing, fetches nothing. Exit code 1 means errors; warnings and notes do not fail.

    \b
    trainshed check                                  the working tree
    trainshed check --base origin/main               and what may not change once it exists
    trainshed check --format sarif > findings.sarif  for code scanning
    """  # noqa: D301 - click's mark of lines that stay as they are
    selection = Selection.parse(only)
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        comparison = compare_specs(root, selection, engine, progress, base)
    plan, changes, findings = comparison.plan, comparison.changes, comparison.findings
    if plan is not None and changes is not None:
        findings += find_drift(changes, spec_of_files(plan, changes.written))
    code = print_findings(sort_findings(findings), root, form)
    if changes is not None and form in SPOKEN and not has_errors(findings):
        click.echo(f"all is well: {len(changes.wanted)} files are what the specs say")
    return code


def spec_of_files(plan: Plan, files: tuple[PurePosixPath, ...]) -> dict[PurePosixPath, PurePosixPath]:
    """The spec to edit in place of each generated file of a job."""
    specs = {target.app: target.path for target in plan.targets}
    return {path: specs[part] for path in files for part in path.parts[1:3] if part in specs}
