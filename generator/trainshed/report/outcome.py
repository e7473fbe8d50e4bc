"""The last stage: findings to the terminal, and an exit code."""

import os
import stat
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeAlias

import click

from trainshed.model.diagnostic import Findings, has_errors
from trainshed.report.explanation import point_to_page
from trainshed.report.github import format_github
from trainshed.report.json_text import findings_json
from trainshed.report.junit import format_junit
from trainshed.report.sarif import format_sarif
from trainshed.report.terminal import use_color
from trainshed.report.text import ReadLine, format_findings

Format: TypeAlias = Callable[[Findings], str]

TEXT = "text"
DOCUMENTS: Mapping[str, Format] = {
    "json": findings_json,
    "sarif": format_sarif,
    "junit": format_junit,
    "github": format_github,
}
"""The formats for programs. Text, which shows lines of the files as well, is for people."""

FORMATS = (TEXT, *DOCUMENTS)

SPOKEN = frozenset({TEXT, "github"})
"""Formats that stand in a log, where a closing sentence may follow."""

_SHOWN_BYTES = 2**20


def print_findings(
    findings: Findings, root: Path, form: str, *, err: bool = False, read_line: ReadLine | None = None
) -> int:
    """Print the findings in one of `FORMATS` and give the exit code: 1 if any is an error.

    `read_line` gives the lines to show, of the files below `root` unless it is given.
    """
    if form != TEXT:
        click.echo(DOCUMENTS[form](findings), err=err, nl=False)
    elif findings:
        stream = sys.stderr if err else sys.stdout
        color = use_color(stream, os.environ)
        text = format_findings(findings, read_line or line_reader(root), color=color)
        click.echo(text, err=err, color=color, nl=False)
        if stream.isatty() and has_errors(findings):
            click.echo(point_to_page(findings), err=err)
    return 1 if has_errors(findings) else 0


def _read_plain(path: Path) -> bytes:
    """The bytes of a regular file; nothing of what is larger than a spec may be, of a link, device or pipe.

    A finding may be about just such a file: nothing of what a link leads to may be shown, nor waited for.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return file.read() if stat.S_ISREG(status.st_mode) and status.st_size <= _SHOWN_BYTES else b""


def line_reader(root: Path) -> ReadLine:
    """Lines of the files below `root`, counted from 1; each file is read once."""

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
