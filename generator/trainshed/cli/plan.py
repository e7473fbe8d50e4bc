"""`trainshed plan`."""

import os
import sys
from pathlib import Path

import click

from trainshed.cli.options import repository_option
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import Severity
from trainshed.pull_request import foresee_asks
from trainshed.report.outcome import print_findings
from trainshed.report.plan import FORMATS, TEXT, write_prospect
from trainshed.report.terminal import open_progress


@click.command()
@repository_option
@click.option("--cluster", metavar="NAME", help="Only the queues of this cluster.")
@click.option(
    "--base",
    metavar="REF",
    help="Compare with this branch, tag or commit: with the commit where HEAD left it, as a pull request is shown."
    "  [default: with what rendered/ holds in the working tree]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TEXT,
    show_default=True,
    help="For a terminal, for a comment on a pull request, as a page with bars, for programs.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file.  [default: standard output]",
)
def plan(root: Path, cluster: str | None, base: str | None, form: str, output: Path | None) -> int:
    """Say what a merge asks of queues: GPUs and GPU hours by team, queue and flavor, and which runs have to wait.

    Kueue's own scheduler is asked, run after run, as if all runs in Git asked at once; Volcano's queues, and pools
    without any, are counted. Never asks a cluster.

    Errors that `trainshed check` finds go to standard error, and make the exit code 1.

    \b
    trainshed plan                                                       what is asked for now
    trainshed plan --base origin/main                                    and what a merge changes
    trainshed plan --base origin/main --format html --output plan.html   as bars, for a browser
    """  # noqa: D301 - click's mark of lines that stay as they are
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        foreseen = foresee_asks(root, cluster, engine, progress, base)
    errors = tuple(one for one in foreseen.findings if one.severity is Severity.ERROR)
    code = print_findings(errors, root, "text", err=True)
    if foreseen.prospect is not None:
        write_prospect(foreseen.prospect, form, output)
    return code
