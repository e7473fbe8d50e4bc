"""`trainshed render`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainshed.cache.notebook import open_notebook
from trainshed.cli.options import format_option, only_option, repository_option
from trainshed.model.selection import Selection
from trainshed.report.outcome import print_findings

if TYPE_CHECKING:
    from trainshed.report.changes import Changes


@click.command()
@repository_option
@only_option
@click.option(
    "--base",
    metavar="REF",
    help="Only runs that this branch, tag or commit holds are sealed; what was rendered since is rendered anew."
    "  [default: every run that the working tree holds is]",
)
@format_option
def render(root: Path, only: tuple[str, ...], base: str | None, form: str) -> int:
    """Write overlays/ and rendered/ from specs/, whole or not at all.

    A run that was rendered before is sealed: it stays as it is until its job is edited. Files that no spec makes any
    more are removed. Nothing is written when anything is wrong.

    \b
    trainshed render                       the working tree
    trainshed render --base origin/main    in a pull request: its own new runs with today's defaults
    """  # noqa: D301 - click's mark of lines that stay as they are
    selection = Selection.parse(only)
    changes = None
    with open_notebook(root, only, os.environ) as notebook:
        verdict = notebook.recall() if base is None else None
        if verdict is None:
            from trainshed.cli.street import write_specs

            verdict, changes = write_specs(root, selection, base, notebook)
            if base is None and changes is not None and changes.is_empty:
                notebook.keep(verdict)
    code = print_findings(verdict.findings, root, form)
    if code == 0 and form == "text":
        click.echo(describe_changes(changes, verdict.num_files))
    return code


def describe_changes(changes: "Changes | None", num_files: int) -> str:
    """One line: what a render did."""
    if changes is None or changes.is_empty:
        return f"nothing changed: {num_files} files are as the specs say"
    counts = {"added": changes.added, "changed": changes.changed, "removed": changes.removed}
    parts = [f"{len(paths)} {word}" for word, paths in counts.items() if paths]
    return f"{', '.join(parts)}, {changes.unchanged_count} unchanged"
