"""Findings as annotations on a pull request."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report.samples import ANY_FINDING, LEAK, PATH, QUEUE, RELEASE, TAG, TOKEN

from trainshed.model.diagnostic import Diagnostic
from trainshed.model.source import Source
from trainshed.report.github import format_github
from trainshed.report.glyphs import make_visible

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def read(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Commands as the runner of GitHub Actions takes them apart."""
    for line in text.split("\n"):
        if match := COMMAND.fullmatch(line):
            command, properties, message = match.groups()
            pairs = (pair.split("=", 1) for pair in properties.split(","))
            yield command, {name: unescape(value) for name, value in pairs}, unescape(message)


def unescape(text: str) -> str:
    for escaped, character in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(escaped, character)
    return text


def test_finding_is_a_command_with_its_place_and_a_message_that_stands_alone_in_the_log() -> None:
    assert format_github((QUEUE,)) == (
        "::error file=specs/jobs/a.yaml,line=14,col=10,endColumn=16,title=unknown-queue::"
        'specs/jobs/a.yaml:14:10: queue "gpu-hi" is not defined%0Adid you mean "gpu-high"?'
        "%0Aqueues are those of the team%0Asee specs/teams/b.yaml:3:1: the team is defined here\n"
        "1 error\n"
    )


def test_severities_are_errors_warnings_and_notices_and_are_counted() -> None:
    text = format_github((QUEUE, TAG, RELEASE))
    assert [command for command, _, _ in read(text)] == ["notice", "warning", "error"]
    assert text.endswith("\n1 error, 1 warning, 1 note\n")


def test_no_findings_say_nothing() -> None:
    assert format_github(()) == ""


def test_what_would_end_a_property_or_a_line_is_escaped() -> None:
    finding = replace(TAG, summary="100%: a\r\nb", source=Source(PurePosixPath("a,b:c%.yaml")))
    line = format_github((finding,)).split("\n")[0]
    assert line.startswith("::warning file=a%2Cb%3Ac%25.yaml,line=1,")
    ((_, properties, message),) = read(line)
    assert properties["file"] == "a,b:c%.yaml"
    assert message == "a,b:c%.yaml:1:1: 100%: a␍␊b"


def test_no_text_can_give_a_command_of_its_own() -> None:
    finding = replace(TAG, summary="\n::error::forged", detail="\n::stop-commands::x\n::add-mask::y")
    assert [line[:9] for line in format_github((finding,)).split("\n") if line.startswith("::")] == [
        "::warning"
    ]


def test_secrets_are_hidden() -> None:
    assert TOKEN not in format_github((LEAK,))


@given(st.lists(ANY_FINDING, max_size=4))
def test_whatever_files_hold_each_finding_is_one_command(findings: list[Diagnostic]) -> None:
    text = format_github(tuple(findings))
    commands = list(read(text))
    assert len(commands) == len(set(findings)) == text.count("\n") - bool(findings)
    places = {(str(finding.source.line), str(finding.source.column)) for finding in findings}
    assert {(properties["line"], properties["col"]) for _, properties, _ in commands} == places
    assert all(make_visible(line) == line for line in text.split("\n"))


def test_path_of_a_finding_is_one_property() -> None:
    ((_, properties, _),) = read(format_github((replace(TAG, source=Source(PATH, 3, 4, 5)),)))
    assert properties == {
        "file": "specs/jobs/a.yaml",
        "line": "3",
        "col": "4",
        "endColumn": "9",
        "title": "image-tag",
    }
