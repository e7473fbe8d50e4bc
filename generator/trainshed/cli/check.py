"""`trainshed check`."""

import os
from pathlib import Path

import click

from trainshed.cache.notebook import open_notebook
from trainshed.cli.options import format_option, only_option, repository_option
from trainshed.model.selection import Selection
from trainshed.report.outcome import SPOKEN, print_findings


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
    with open_notebook(root, only, os.environ) as notebook:
        verdict = notebook.recall() if base is None else None
        if verdict is None:
            from trainshed.cli.street import check_specs

            verdict = check_specs(root, selection, base, notebook)
            if base is None:
                notebook.keep(verdict)
    code = print_findings(verdict.findings, root, form)
    if code == 0 and form in SPOKEN:
        click.echo(f"all is well: {verdict.num_files} files are what the specs say")
    return code
