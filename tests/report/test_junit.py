"""Findings as the tests of a merge request."""

from pathlib import PurePosixPath
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report.samples import ANY_FINDING, LEAK, PATH, QUEUE, RELEASE, TAG, TOKEN

from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.source import Source
from trainshed.report.junit import format_junit


def suite_of(*findings: Diagnostic) -> ElementTree.Element:
    top = ElementTree.fromstring(format_junit(findings).encode())
    (suite,) = top
    assert (top.tag, suite.tag) == ("testsuites", "testsuite")
    return suite


def test_error_is_a_test_that_fails_with_place_words_and_advice() -> None:
    suite = suite_of(QUEUE)
    (case,) = suite
    assert case.attrib == {
        "classname": "specs/jobs/a.yaml",
        "name": 'unknown-queue: queue "gpu-hi" is not defined',
        "file": "specs/jobs/a.yaml",
        "time": "0",
    }
    (failure,) = case
    assert failure.tag == "failure"
    assert failure.attrib == {"type": "unknown-queue", "message": 'queue "gpu-hi" is not defined'}
    assert failure.text == (
        'specs/jobs/a.yaml:14:10: error[unknown-queue]: queue "gpu-hi" is not defined\n'
        'did you mean "gpu-high"?\n'
        "queues are those of the team\n"
        "see specs/teams/b.yaml:3:1: the team is defined here"
    )


def test_warnings_and_notes_are_tests_that_pass_and_say_something() -> None:
    suite = suite_of(TAG, RELEASE, QUEUE)
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
    }
    assert [[part.tag for part in case] for case in suite] == [["system-out"], ["system-out"], ["failure"]]
    assert suite[1][0].text == "specs/jobs/a.yaml:2:8: warning[image-tag]: the image has no tag"


def test_nothing_wrong_is_one_test_that_passes() -> None:
    suite = suite_of()
    (case,) = suite
    assert (suite.get("tests"), suite.get("failures"), len(case)) == ("1", "0", 0)
    assert case.get("name") == "nothing is wrong"


def test_name_stays_when_lines_are_inserted_above_and_differs_from_others_of_its_file() -> None:
    first, second = (replace(TAG, source=Source(PATH, line)) for line in (3, 9))
    assert suite_of(first)[0].get("name") == suite_of(second)[0].get("name")
    assert [case.get("name") for case in suite_of(first, second)] == [
        "image-tag: the image has no tag",
        "image-tag: the image has no tag (9:1)",
    ]


def test_secrets_are_hidden() -> None:
    assert TOKEN not in format_junit((LEAK,))


@pytest.mark.parametrize(
    "character", ["\0", "\x08", "\x1b", "\x7f", "\ud800", "\ufffe", "\uffff", "<", "&", '"', "]]>"]
)
def test_characters_that_xml_cannot_hold_are_spelled_out(character: str) -> None:
    finding = replace(QUEUE, summary=f"a{character}b", source=Source(PurePosixPath(f"a{character}b")))
    (case,) = suite_of(finding)
    assert (case.get("name") or "").startswith("unknown-queue: a")
    assert (case.get("classname") or "").endswith("b")


@given(st.lists(ANY_FINDING, max_size=4))
def test_whatever_files_hold_the_report_is_xml_that_says_all(findings: list[Diagnostic]) -> None:
    suite = suite_of(*findings)
    wrong = {finding for finding in findings if finding.severity is Severity.ERROR}
    assert len(suite) == max(1, len(set(findings))) == int(suite.get("tests") or 0)
    assert len(suite.findall("testcase/failure")) == len(wrong) == int(suite.get("failures") or 0)
