"""`trainshed diff`."""

import os
import sys
from pathlib import Path

import click

from trainshed.cli.options import only_option, repository_option
from trainshed.engine.pool import EnginePool
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity, has_errors
from trainshed.model.selection import Selection
from trainshed.pull_request import review_specs
from trainshed.report.outcome import print_findings
from trainshed.report.review import FORMATS, TEXT, write_review
from trainshed.report.terminal import open_progress


@click.command()
@repository_option
@only_option
@click.option(
    "--base",
    metavar="REF",
    required=True,
    help="The branch, tag or commit to compare with: the commit where HEAD left it, as a pull request is shown.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TEXT,
    show_default=True,
    help="For a terminal, for a comment on a pull request, as a page, for programs.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file.  [default: standard output] Markdown that is too long for a comment is cut there, and"
    " stands whole beside it.",
)
def diff(root: Path, only: tuple[str, ...], base: str, form: str, output: Path | None) -> int:
    """Say what a merge would do: runs that start, restart and end; objects; risks; and the lines that cause them.

    Compares what REF holds with what specs/ render to, whether that is rendered yet or not; never with a cluster.
    Exit code 1 means that `trainshed check --base REF` finds errors; those that leave nothing to compare are printed.

    \b
    trainshed diff --base origin/main                                 on the terminal
    trainshed diff --base main --format markdown --output review.md   a comment on a pull request
    trainshed diff --base main --format html --output review.html     a page, for a browser
    """  # noqa: D301 - click's mark of lines that stay as they are
    selection = Selection.parse(only)
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        reviewed = review_specs(root, selection, engine, progress, base)
    told = tuple(one for one in reviewed.findings if one.code is Code.UNKNOWN_BASE)
    if reviewed.review is not None:
        print_findings(told, root, "text", err=True)
        write_review(reviewed.review, form, output)
    else:
        errors = (one for one in reviewed.findings if one.severity is Severity.ERROR)
        print_findings((*told, *errors), root, "text", err=True)
    return 1 if has_errors(reviewed.findings) else 0
