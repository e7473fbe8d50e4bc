"""Findings as a person reads them: place and summary first, the line with the word marked, what to do."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import TypeAlias

import click

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, Severity, sort_findings
from trainshed.model.secrets import hide_secrets, may_show
from trainshed.model.source import Source
from trainshed.report.glyphs import excerpt_word, make_visible

ReadLine: TypeAlias = Callable[[PurePosixPath, int], str | None]

_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_MANY = 20
_GROUPED = frozenset({Code.STALE_FILE, Code.MISSING_FILE, Code.FOREIGN_FILE})


def format_findings(findings: Findings, read_line: ReadLine, color: bool) -> str:
    """The findings in report order and a closing count; an empty text for none.

    `read_line(path, line)` gives a line counted from 1, or None where it cannot be had. No line with a secret
    is shown. Of the findings
    about generated files the first 20 of a code are shown and the others counted.
    """
    ordered = sort_findings(findings)
    if not ordered:
        return ""
    seen: Counter[Code] = Counter()
    blocks: list[str] = []
    secret = {
        (finding.source.path, finding.source.line) for finding in ordered if finding.code is Code.PLAIN_SECRET
    }

    def read_shown(path: PurePosixPath, number: int) -> str | None:
        line = None if (path, number) in secret else read_line(path, number)
        return line if line is not None and may_show(line) else None

    for finding in ordered:
        seen[finding.code] += 1
        if finding.code not in _GROUPED or seen[finding.code] <= _MANY:
            blocks.append("\n".join(_format_finding(finding, read_shown, color)))
    blocks.extend(
        _paint(f"{seen[code] - _MANY} more [{code}]: {code.meaning}", None, color)
        for code in Code
        if code in _GROUPED and seen[code] > _MANY
    )
    blocks.append(count_findings(ordered))
    return "\n\n".join(blocks) + "\n"


def count_findings(findings: Findings) -> str:
    """`2 errors, 1 warning`; severities without a finding are left out."""
    counts = Counter(finding.severity for finding in findings)
    return ", ".join(
        f"{counts[severity]} {severity}{'s' if counts[severity] > 1 else ''}"
        for severity in Severity
        if counts[severity]
    )


def _format_finding(finding: Diagnostic, read_line: ReadLine, color: bool) -> Iterator[str]:
    label = _paint(f"{finding.severity}[{finding.code}]", _COLORS[finding.severity], color)
    place = _paint(make_visible(str(finding.source)), None, color)
    yield f"{place}: {label}: {_show(finding.summary)}"
    line = read_line(finding.source.path, finding.source.line)
    if line is not None:
        yield from _format_excerpt(line.rstrip("\r\n"), finding.source, _COLORS[finding.severity], color)
    for text in finding.detail.split("\n") if finding.detail else ():
        yield f"   {_show(text)}"
    for related in finding.related:
        yield f"   see {make_visible(str(related.source))}: {_show(related.text)}"


def _format_excerpt(line: str, source: Source, shade: str, color: bool) -> Iterator[str]:
    excerpt = excerpt_word(line, source.column, source.width)
    number = f"{source.line:5}"
    yield f"{number} | {excerpt.text}".rstrip()
    yield f"{' ' * len(number)} | {' ' * excerpt.offset}{_paint('^' * excerpt.width, shade, color)}"


def _show(text: str) -> str:
    return make_visible(hide_secrets(text))


def _paint(text: str, shade: str | None, color: bool) -> str:
    return click.style(text, fg=shade, bold=True) if color else text
