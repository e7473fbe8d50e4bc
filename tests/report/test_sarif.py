"""Findings as code scanning reads them."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report.samples import ANY_FINDING, LEAK, PATH, QUEUE, RELEASE, TAG, TOKEN

from trainshed.model.diagnostic import Diagnostic
from trainshed.model.source import Source
from trainshed.report.sarif import format_sarif


def run_of(*findings: Diagnostic) -> dict[str, Any]:
    log = json.loads(format_sarif(findings))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    return log["runs"][0]


def place(line: int, start: int, end: int, path: str = "specs/jobs/a.yaml") -> dict[str, Any]:
    return {
        "artifactLocation": {"uri": path, "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": line, "startColumn": start, "endColumn": end},
    }


def test_result_has_rule_level_message_place_and_what_else_it_is_about() -> None:
    run = run_of(QUEUE)
    (result,) = run["results"]
    assert list(result.pop("partialFingerprints")) == ["trainshedFinding/v1"]
    assert result == {
        "ruleId": "unknown-queue",
        "ruleIndex": 0,
        "level": "error",
        "message": {
            "text": 'queue "gpu-hi" is not defined\ndid you mean "gpu-high"?\nqueues are those of the team'
        },
        "locations": [{"physicalLocation": place(14, 10, 16)}],
        "relatedLocations": [
            {
                "id": 1,
                "message": {"text": "the team is defined here"},
                "physicalLocation": place(3, 1, 5, "specs/teams/b.yaml"),
            }
        ],
    }
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == "unknown-queue"
    assert rule["shortDescription"] == {"text": "A queue is named that the team does not have there."}
    assert run["columnKind"] == "unicodeCodePoints"


def test_results_stand_in_report_order_and_name_their_rules_by_index() -> None:
    run = run_of(QUEUE, TAG, RELEASE, replace(QUEUE, source=Source(PATH, 1)))
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert sorted(rules) == ["image-tag", "release-differs", "unknown-queue"]
    said = [(result["level"], rules[result["ruleIndex"]]) for result in run["results"]]
    assert said == [
        ("note", "release-differs"),
        ("error", "unknown-queue"),
        ("warning", "image-tag"),
        ("error", "unknown-queue"),
    ]
    assert [result["ruleId"] for result in run["results"]] == [rule for _, rule in said]


def test_no_findings_are_a_run_without_results() -> None:
    run = run_of()
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert run["tool"]["driver"]["version"]


def fingerprints(*findings: Diagnostic) -> list[str]:
    return [result["partialFingerprints"]["trainshedFinding/v1"] for result in run_of(*findings)["results"]]


def test_fingerprint_stays_when_lines_are_inserted_above() -> None:
    moved = replace(QUEUE, source=replace(QUEUE.source, line=99, column=1))
    assert fingerprints(QUEUE) == fingerprints(moved)


def test_findings_of_other_words_or_files_or_codes_have_other_fingerprints() -> None:
    others = [
        replace(QUEUE, summary="another"),
        replace(QUEUE, code=TAG.code),
        replace(QUEUE, source=Source(PurePosixPath("b.yaml"), 14)),
        replace(QUEUE, source=Source(PATH, 15)),
    ]
    assert len(set(fingerprints(QUEUE, *others))) == 5


def test_paths_are_written_as_uris() -> None:
    for path, uri in {
        "specs/a b,c#d?e%f.yaml": "specs/a%20b%2Cc%23d%3Fe%25f.yaml",
        "specs/a:b.yaml": "specs/a%3Ab.yaml",
        "specs/ü.yaml": "specs/%C3%BC.yaml",
        "specs/caf\udce9.yaml": "specs/caf%E9.yaml",
        "<stdin>": "%3Cstdin%3E",
    }.items():
        (result,) = run_of(replace(TAG, source=Source(PurePosixPath(path))))["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
            "uri": uri,
            "uriBaseId": "%SRCROOT%",
        }


def test_files_outside_the_repository_have_uris_of_their_own() -> None:
    (result,) = run_of(replace(TAG, source=Source(PurePosixPath("/tmp/a b.yaml"))))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///tmp/a%20b.yaml"}


def test_what_a_person_wrote_makes_no_link() -> None:
    (result,) = run_of(replace(TAG, summary="[click](https://example.com)"))["results"]
    assert not re.search(r"\[[^\]]*\]\(", result["message"]["text"])


def test_secrets_are_hidden() -> None:
    assert TOKEN not in format_sarif((LEAK,))
    assert format_sarif((LEAK,)).count("(hidden)") == 3


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, item
            yield from walk(item)
    elif isinstance(value, list):
        for item in value:
            yield from walk(item)


@given(st.lists(ANY_FINDING, max_size=4))
def test_whatever_files_hold_the_log_keeps_the_rules_of_the_format(findings: list[Diagnostic]) -> None:
    text = format_sarif(tuple(findings))
    assert all(character == "\n" or " " <= character <= "~" for character in text)
    log = json.loads(text)
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(set(findings))
    for result in run["results"]:
        assert result["level"] in {"none", "note", "warning", "error"}
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert len({related["id"] for related in result["relatedLocations"]}) == len(
            result["relatedLocations"]
        )
    for key, value in walk(log):
        match key:
            case "region":
                assert value["startLine"] >= 1
                assert 1 <= value["startColumn"] <= value["endColumn"]
            case "uri":
                assert re.fullmatch(r"(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})*", value)
                unquote_to_bytes(value)
            case "uriBaseId":
                assert value in run["originalUriBaseIds"]
            case "text":
                assert isinstance(value, str)
