"""The last stage: findings to the terminal, and an exit code."""

import os
import stat
import sys
from functools import cache
from pathlib import Path, PurePosixPath

import click

from trainshed.model.diagnostic import Findings, has_errors
from trainshed.report.json_text import findings_json
from trainshed.report.terminal import use_color
from trainshed.report.text import format_findings

_SHOWN_BYTES = 2**20


def print_findings(findings: Findings, root: Path, form: str, *, err: bool = False) -> int:
    """Print the findings as text or JSON and give the exit code: 1 if any is an error."""
    if form == "json":
        click.echo(findings_json(findings), err=err)
    elif findings:
        stream = sys.stderr if err else sys.stdout
        color = use_color(stream, os.environ)
        click.echo(format_findings(findings, _line_reader(root), color=color), err=err, color=color, nl=False)
    return 1 if has_errors(findings) else 0


def _read_plain(path: Path) -> bytes:
    """The bytes of a regular file; nothing of what is larger than a spec may be, of a link, device or pipe.

    A finding may be about just such a file: nothing of what a link leads to may be shown, nor waited for.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return file.read() if stat.S_ISREG(status.st_mode) and status.st_size <= _SHOWN_BYTES else b""


def _line_reader(root: Path):
    @cache
    def read_lines(path: PurePosixPath) -> list[str]:
        try:
            text = _read_plain(root / path).decode("utf-8", "replace")
        except OSError:
            return []
        return text.split("\n") if text else []

    def read_line(path: PurePosixPath, line: int) -> str | None:
        lines = read_lines(path)
        return lines[line - 1] if 0 < line <= len(lines) else None

    return read_line
