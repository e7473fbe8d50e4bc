"""Findings as a program reads them."""

import json
from pathlib import PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Related, error
from trainshed.model.source import Source
from trainshed.report.json_text import findings_json

PATH = PurePosixPath("specs/a.yaml")


def test_json_has_the_fields_of_the_text_in_report_order() -> None:
    second = error(Code.SYMLINK, Source(PATH, 2, 3, 4), "two", "do", [Related(Source(PATH), "here")])
    first = error(Code.ENCODING, Source(PATH, 1), "one")
    assert json.loads(findings_json((second, first))) == [
        {
            "code": "encoding",
            "severity": "error",
            "summary": "one",
            "source": {"path": "specs/a.yaml", "line": 1, "column": 1, "width": 1},
            "detail": "",
            "related": [],
        },
        {
            "code": "symlink",
            "severity": "error",
            "summary": "two",
            "source": {"path": "specs/a.yaml", "line": 2, "column": 3, "width": 4},
            "detail": "do",
            "related": [
                {"source": {"path": "specs/a.yaml", "line": 1, "column": 1, "width": 1}, "text": "here"}
            ],
        },
    ]


def test_order_of_findings_does_not_change_the_json() -> None:
    findings = tuple(error(Code.SYMLINK, Source(PATH, line), "same") for line in (3, 1, 2))
    assert findings_json(findings) == findings_json(findings[::-1])


def test_json_is_printable_ascii_whatever_a_name_holds() -> None:
    summary = "\x1b[2J\x7f\u202e\udcff ü"
    text = findings_json((error(Code.SYMLINK, Source(PATH), summary),))
    assert all(character == "\n" or " " <= character <= "~" for character in text)
    assert json.loads(text)[0]["summary"] == summary


def test_no_findings_are_an_empty_array() -> None:
    assert findings_json(()) == "[]\n"
