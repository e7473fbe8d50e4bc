"""What a command found, as it is written down for the next command that is asked about exactly the same."""

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, Related, Severity
from trainshed.model.source import Source


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, and how many files the specs make, where they make any."""

    findings: Findings
    num_files: int = 0


def write_verdict(verdict: Verdict) -> bytes:
    """The verdict as JSON."""
    kept = [verdict.num_files, [_write_finding(finding) for finding in verdict.findings]]
    return json.dumps(kept, separators=(",", ":")).encode()


def read_verdict(kept: bytes) -> Verdict:
    """The verdict that was written."""
    num_files, findings = json.loads(kept)
    return Verdict(tuple(map(_read_finding, findings)), num_files)


def _write_finding(finding: Diagnostic) -> Any:
    related = [[_write_source(one.source), one.text] for one in finding.related]
    words = [finding.code, finding.severity, finding.summary, finding.detail]
    return [*words, _write_source(finding.source), related]


def _read_finding(kept: Any) -> Diagnostic:
    code, severity, summary, detail, source, related = kept
    return Diagnostic(
        code=Code(code),
        severity=Severity(severity),
        summary=summary,
        detail=detail,
        source=_read_source(source),
        related=tuple(Related(_read_source(place), text) for place, text in related),
    )


def _write_source(source: Source) -> Any:
    return [str(source.path), source.line, source.column, source.width]


def _read_source(kept: Any) -> Source:
    path, *place = kept
    return Source(PurePosixPath(path), *place)
