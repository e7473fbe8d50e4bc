"""`trainshed reseal`."""

import os
import sys
from pathlib import Path

import click

from trainshed.cache.notebook import open_notebook
from trainshed.cli.options import format_option, repository_option
from trainshed.cli.render import describe_changes
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import has_errors, sort_findings
from trainshed.model.endings import one_line
from trainshed.records import reseal_runs
from trainshed.report.commit import commit_changes
from trainshed.report.outcome import SPOKEN, print_findings
from trainshed.report.terminal import open_progress


@click.command()
@click.argument("run")
@click.option(
    "--why", metavar="TEXT", required=True, help="The reason, for whoever reviews it; it is kept in the seal."
)
@click.option("--cluster", metavar="NAME", help="Only on this cluster.  [default: on all that hold the run]")
@repository_option
@format_option
def reseal(run: str, why: str, cluster: str | None, root: Path, form: str) -> int:
    """Render a run anew under its own name, with today's defaults, and record why in its seal.

    For the rare case of a fix that a run in the queue must not start without. What it does to a run that is under way
    is for its controller to say, and an API server refuses much of it. In all other cases write `attempt: 2` in the
    job's spec, which starts a run of its own.

    \b
    trainshed reseal resnet50-1c9e0f2a --why "CVE-2026-0001: the old init image leaks its token"
    """  # noqa: D301 - click's mark of lines that stay as they are
    if not one_line(why):
        raise click.BadParameter("say in a few words why", param_hint="--why")
    with (
        open_notebook(root, (), os.environ) as notebook,
        EnginePool() as engine,
        open_progress(sys.stderr, os.environ) as progress,
    ):
        recorded = reseal_runs(root, run, cluster, why, engine, progress, notebook.remember)
        findings, changes = recorded.findings, recorded.changes
        if changes is not None:
            progress.show("writing")
            findings += commit_changes(root, changes)
    code = print_findings(sort_findings(findings), root, form)
    if form in SPOKEN and not has_errors(findings):
        for resealed in recorded.resealed:
            seal = resealed.after
            goes = (
                ""
                if resealed.resumes
                else ": it trains something else now, and leaves the checkpoints it has behind"
            )
            click.echo(f"{seal.run} is rendered anew on {seal.cluster}{goes}")
        if changes is None:
            click.echo(f"{run} is what today's words render: nothing is written")
        else:
            click.echo(describe_changes(changes, changes.unchanged_count))
    return code
