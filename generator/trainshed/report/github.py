"""Findings as workflow commands of GitHub Actions, which stand as annotations at the lines of a pull request.

Source: "Workflow commands for GitHub Actions" and `escapeData`, `escapeProperty` in actions/toolkit.
"""

from collections.abc import Iterator

from trainshed.model.diagnostic import Diagnostic, Findings, Severity, sort_findings
from trainshed.model.secrets import hide_secrets
from trainshed.report.glyphs import make_visible
from trainshed.report.text import count_findings

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_IN_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = _IN_DATA | str.maketrans({":": "%3A", ",": "%2C"})


def format_github(findings: Findings) -> str:
    """A command a line, and the count for whoever reads the log; nothing for no findings."""
    ordered = sort_findings(findings)
    return "".join(f"{line}\n" for line in [*map(_command, ordered), count_findings(ordered)] if line)


def _command(finding: Diagnostic) -> str:
    source = finding.source
    properties = {
        "file": make_visible(str(source.path)),
        "line": source.line,
        "col": source.column,
        "endColumn": source.column + source.width,
        "title": finding.code,
    }
    written = ",".join(f"{name}={str(value).translate(_IN_PROPERTIES)}" for name, value in properties.items())
    message = "\n".join(_describe(finding)).translate(_IN_DATA)
    return f"::{_COMMANDS[finding.severity]} {written}::{message}"


def _describe(finding: Diagnostic) -> Iterator[str]:
    """With the place, which the log does not show otherwise."""
    yield f"{make_visible(str(finding.source))}: {_show(finding.summary)}"
    yield from map(_show, finding.detail.splitlines())
    yield from (
        f"see {make_visible(str(related.source))}: {_show(related.text)}" for related in finding.related
    )


def _show(text: str) -> str:
    return make_visible(hide_secrets(text))
