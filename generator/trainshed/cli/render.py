"""`trainshed render`."""

import os
import sys
from pathlib import Path

import click

from trainshed.cli.options import format_option, only_option, repository_option
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import has_errors, sort_findings
from trainshed.model.selection import Selection
from trainshed.pipeline import compare_specs
from trainshed.report.changes import Changes
from trainshed.report.commit import commit_changes
from trainshed.report.outcome import print_findings
from trainshed.report.terminal import open_progress


@click.command()
@repository_option
@only_option
@format_option
def render(root: Path, only: tuple[str, ...], form: str) -> int:
    """Write overlays/ and rendered/ from specs/, whole or not at all.

    Files that no spec makes any more are removed. Nothing is written when anything is wrong.
    """
    selection = Selection.parse(only)
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        comparison = compare_specs(root, selection, engine, progress)
        changes, findings = comparison.changes, comparison.findings
        if changes is not None:
            progress.show("writing")
            findings += commit_changes(root, changes)
    code = print_findings(sort_findings(findings), root, form)
    if changes is not None and form == "text" and not has_errors(findings):
        click.echo(describe_changes(changes))
    return code


def describe_changes(changes: Changes) -> str:
    """One line: what a render did."""
    if changes.is_empty:
        return f"nothing changed: {changes.unchanged_count} files are as the specs say"
    counts = {"added": changes.added, "changed": changes.changed, "removed": changes.removed}
    parts = [f"{len(paths)} {word}" for word, paths in counts.items() if paths]
    return f"{', '.join(parts)}, {changes.unchanged_count} unchanged"
