"""Findings as SARIF 2.1.0, the format of code scanning."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, sort_findings
from trainshed.model.secrets import hide_secrets
from trainshed.model.shipped import own_release
from trainshed.model.source import Source

_ROOT = "%SRCROOT%"
_FINGERPRINT = "trainshedFinding/v1"


def format_sarif(findings: Findings) -> str:
    """One run in report order, in printable ASCII. Severities are SARIF's own levels."""
    ordered = sort_findings(findings)
    codes = [code for code in Code if any(finding.code is code for finding in ordered)]
    prints = _fingerprints(ordered)
    run = {
        "tool": {
            "driver": {
                "name": "trainshed",
                "version": own_release(),
                "rules": [_describe_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The folder that holds specs/: what --repository names."}}
        },
        "results": [
            _describe_result(finding, codes.index(finding.code), fingerprint)
            for finding, fingerprint in zip(ordered, prints, strict=True)
        ],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2).replace("\x7f", "\\u007f") + "\n"


def _describe_rule(code: Code) -> dict[str, Any]:
    meaning = f"{code.meaning[0].upper()}{code.meaning[1:]}."
    return {
        "id": code.value,
        "shortDescription": {"text": meaning},
        "help": {"text": f"{meaning} `trainshed explain {code}` says why it matters, and how to mend it."},
    }


def _describe_result(finding: Diagnostic, rule: int, fingerprint: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code.value,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": _say(f"{finding.summary}\n{finding.detail}".rstrip("\n")),
        "locations": [{"physicalLocation": _locate(finding.source)}],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": _say(related.text), "physicalLocation": _locate(related.source)}
            for number, related in enumerate(finding.related, 1)
        ]
    return result


def _say(text: str) -> dict[str, str]:
    """A message; `](` would make a link of what a person wrote (section 3.11.6)."""
    return {"text": hide_secrets(text).replace("](", "] (")}


def _locate(source: Source) -> dict[str, Any]:
    return {
        "artifactLocation": _name_file(source.path),
        "region": {
            "startLine": source.line,
            "startColumn": source.column,
            "endColumn": source.column + source.width,
        },
    }


def _name_file(path: PurePosixPath) -> dict[str, str]:
    uri = quote(os.fsencode(path))
    return {"uri": f"file://{uri}"} if path.is_absolute() else {"uri": uri, "uriBaseId": _ROOT}


def _fingerprints(ordered: Findings) -> Iterator[str]:
    """What a finding is told by when lines are inserted above it: its words, and which of its like it is."""
    seen: Counter[tuple[str, ...]] = Counter()
    for finding in ordered:
        words = (finding.code.value, str(finding.source.path), finding.summary)
        seen[words] += 1
        text = json.dumps([*words, seen[words]])
        yield sha256(text.encode()).hexdigest()[:32]
