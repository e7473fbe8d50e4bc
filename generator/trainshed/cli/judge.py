"""`trainshed judge`."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import click

from trainshed.cli.options import format_option, repository_option
from trainshed.engine.pool import EnginePool
from trainshed.model.diagnostic import has_errors
from trainshed.pipeline import judge_manifests
from trainshed.report.outcome import SPOKEN, line_reader, print_findings
from trainshed.report.terminal import open_progress
from trainshed.report.text import ReadLine


@click.command()
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True)
)
@click.option(
    "--cluster",
    metavar="NAME",
    help="Judge for this cluster of specs/: by its releases, and beside what is rendered for it."
    "  [default: any cluster, with the newest releases in schemas/]",
)
@repository_option
@format_option
def judge(paths: tuple[str, ...], cluster: str | None, root: Path, form: str) -> int:
    """Judge manifests of any origin, by the code that judges what `check` renders.

    PATH is a file, a folder (every .yaml, .yml and .json in it and below), or - for standard input. Documents, lists
    and JSON are read as kubectl reads them; kustomization.yaml is left out. Findings stand at the manifests' lines.

    Writes nothing, asks no cluster. Exit code 1 means errors; warnings and notes do not fail.

    \b
    trainshed judge deploy/ --cluster gke-research   what that cluster would refuse
    helm template charts/train | trainshed judge -   what any cluster would refuse
    """  # noqa: D301 - click's mark of lines that stay as they are
    with EnginePool() as engine, open_progress(sys.stderr, os.environ) as progress:
        judgement = judge_manifests(root, paths, cluster, read_input, engine, progress)
    read_line = given_lines(judgement.lines, line_reader(root))
    code = print_findings(judgement.findings, root, form, read_line=read_line)
    if form in SPOKEN and not has_errors(judgement.findings):
        count = len(judgement.objects)
        click.echo(f"all is well: {count} object{'' if count == 1 else 's'} judged")
    return code


def read_input(num_bytes: int) -> bytes:
    """What stands on standard input, up to so many bytes; nothing where that is closed."""
    return sys.stdin.buffer.read(num_bytes) if sys.stdin else b""


def given_lines(given: Mapping[PurePosixPath, tuple[str | None, ...]], read_spec: ReadLine) -> ReadLine:
    """Lines of the manifests as they were read, and of the specs beside them."""

    def read_line(path: PurePosixPath, line: int) -> str | None:
        lines = given.get(path)
        if lines is None:
            return read_spec(path, line)
        return lines[line - 1] if 0 < line <= len(lines) else None

    return read_line
