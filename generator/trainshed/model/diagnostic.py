"""Findings: what is wrong, where, and what to do about it."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from trainshed.model.codes import Code
from trainshed.model.source import Source


class Severity(StrEnum):
    """How much a finding matters. Only an error stops the street and fails a command."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Related(Struct, frozen=True):
    """Another place that a finding is about: the first definition, the referrer."""

    source: Source
    text: str


class Diagnostic(Struct, frozen=True, kw_only=True):
    """One finding. `summary` is one lower-case line that names the value; `detail` says what to do next."""

    code: Code
    severity: Severity
    summary: str
    source: Source
    detail: str = ""
    related: tuple[Related, ...] = ()

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Path, line, column, code: the order in which findings are reported."""
        return (str(self.source.path), self.source.line, self.source.column, self.code, self.summary)


Findings: TypeAlias = tuple[Diagnostic, ...]


def error(
    code: Code, source: Source, summary: str, detail: str = "", related: Iterable[Related] = ()
) -> Diagnostic:
    """An error at `source`."""
    return Diagnostic(
        code=code,
        severity=Severity.ERROR,
        summary=summary,
        source=source,
        detail=detail,
        related=tuple(related),
    )


def has_errors(findings: Iterable[Diagnostic]) -> bool:
    """Whether any of the findings is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def sort_findings(findings: Iterable[Diagnostic]) -> Findings:
    """The findings in report order, each once."""
    return tuple(sorted(set(findings), key=lambda finding: finding.sort_key))
