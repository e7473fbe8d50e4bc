"""Findings as a program reads them: the same fields as the text, and no more."""

import json
from typing import Any

from trainshed.model.diagnostic import Diagnostic, Findings, sort_findings
from trainshed.model.secrets import hide_secrets
from trainshed.model.source import Source


def findings_json(findings: Findings) -> str:
    """A JSON array in report order, in printable ASCII, so that names which are no text survive too."""
    text = json.dumps([_describe(finding) for finding in sort_findings(findings)], indent=2)
    return text.replace("\x7f", "\\u007f") + "\n"


def _describe(finding: Diagnostic) -> dict[str, Any]:
    return {
        "code": finding.code.value,
        "severity": finding.severity.value,
        "summary": hide_secrets(finding.summary),
        "source": _describe_source(finding.source),
        "detail": hide_secrets(finding.detail),
        "related": [
            {"source": _describe_source(related.source), "text": hide_secrets(related.text)}
            for related in finding.related
        ],
    }


def _describe_source(source: Source) -> dict[str, Any]:
    return {
        "path": str(source.path),
        "line": source.line,
        "column": source.column,
        "width": source.width,
    }
