"""`trainshed archive`."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import get_args

import click

from trainshed.cache.notebook import open_notebook
from trainshed.cli.judge import read_input
from trainshed.cli.options import format_option, repository_option
from trainshed.cli.render import describe_changes
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import has_errors, sort_findings
from trainshed.records import archive_runs
from trainshed.report.commit import commit_changes
from trainshed.report.outcome import SPOKEN, line_reader, print_findings
from trainshed.report.terminal import open_progress
from trainshed.report.text import ReadLine
from trainshed.seal.archive import Fate, Shown, State

MOST_NAMED = 5
"""How many runs a line names before it only counts them."""


@click.command()
@click.argument("paths", metavar="[FILE]...", nargs=-1, type=click.Path(exists=True, allow_dash=True))
@click.option("--cluster", metavar="NAME", required=True, help="The cluster that was asked.")
@click.option(
    "--state",
    type=click.Choice(get_args(State)),
    help="Archive only runs that ended so, and leave the others where their pods can be looked at.",
)
@repository_option
@format_option
def archive(paths: tuple[str, ...], cluster: str, state: State | None, root: Path, form: str) -> int:
    """Take runs that have ended out of rendered/, and record in their seals how they ended.

    FILE, or standard input, is what `kubectl get -o json` prints. A run that is shown to have ended by its own status
    gets its outcome; its objects go, its job's claims stay. It is never rendered again: `attempt: 2` runs the same job
    anew. What was written is to be committed; once it is merged, Argo CD removes the objects.

    \b
    kubectl get jobs.batch,pytorchjobs.kubeflow.org,rayjobs.ray.io -A \\
        -l app.kubernetes.io/managed-by=trainshed -o json |
        trainshed archive --cluster aws-prod

    Name the kinds that the cluster serves; without any input, the very command for it is printed. Asks no cluster.
    """  # noqa: D301 - click's mark of lines that stay as they are
    with (
        open_notebook(root, (), os.environ) as notebook,
        EnginePool() as engine,
        open_progress(sys.stderr, os.environ) as progress,
    ):
        recorded = archive_runs(
            root, cluster, paths or ("-",), read_piped, state, engine, progress, notebook.remember
        )
        findings, changes = recorded.findings, recorded.changes
        if changes is not None:
            progress.show("writing")
            findings += commit_changes(root, changes)
    code = print_findings(sort_findings(findings), root, form, read_line=spec_lines(root))
    if form in SPOKEN and not has_errors(findings):
        for line in describe_runs(recorded.shown):
            click.echo(line)
        if changes is not None:
            click.echo(describe_changes(changes, changes.unchanged_count))
    return code


def read_piped(num_bytes: int) -> bytes:
    """What was piped in; nothing where a person sits, who would wait for us while we wait for them."""
    return b"" if sys.stdin is None or sys.stdin.isatty() else read_input(num_bytes)


def spec_lines(root: Path) -> ReadLine:
    """Lines of the repository's own folders, and none of what a cluster printed, which may hold secrets."""
    read = line_reader(root)

    def read_line(path: PurePosixPath, line: int) -> str | None:
        return read(path, line) if path.parts[0] in ("specs", "overlays", "rendered") else None

    return read_line


def describe_runs(shown: Iterable[Shown]) -> Iterator[str]:
    """A line for each run that is archived, and one for each other group."""
    groups = {fate: [one for one in shown if one.fate is fate] for fate in Fate}
    for one in groups.pop(Fate.ENDED):
        outcome = one.run and one.run.seal.outcome
        if outcome:
            yield f"{one.name}: {outcome.state} at {outcome.finished}: {outcome.why}"
    for fate, found in groups.items():
        if found:
            names = ", ".join(one.name for one in found[:MOST_NAMED])
            more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
            yield f"{len(found)} {fate}: {names}{more}"
