"""Manifests that each judge refuses at a word, and manifests that nobody refuses.

A case is a file `tests/judges/<judge>/<what>.yaml`. A line that is refused says so behind it:

    replicas: 2  # refused-training-operator '2': Must be 1

that is the finding's code, the word at which it stands, and a part of the judge's words. Every refusal has such a
mark, and every mark its refusal. A second document below the line `--- # before` is what the base branch has.
Objects that judges look at (a Namespace, a LimitRange) may stand in the file too.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from trainshed.engine.admission import read_releases
from trainshed.engine.client import Engine
from trainshed.load.manifests import read_manifest
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.files import RenderedObject
from trainshed.model.manifest import AppId
from trainshed.validate import hearing, judges
from trainshed.validate.hearing import Hearing
from trainshed.validate.members import members_by_cluster
from trainshed.validate.view import Member

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CASES = sorted(HERE.glob("*/*.yaml"))
MARK = re.compile(r"# (?P<code>[a-z-]+) '(?P<word>[^']*)': (?P<words>.+)$")
BEFORE = "--- # before\n"


@dataclass(frozen=True)
class Mark:
    """What a line of a case says of itself, or what was found there: the same in both, but for the length of words."""

    line: int
    code: str
    word: str
    words: str

    def covers(self, found: "Mark") -> bool:
        return (self.line, self.code, self.word) == (
            found.line,
            found.code,
            found.word,
        ) and self.words in found.words

    def __str__(self) -> str:
        return f"line {self.line}  # {self.code} '{self.word}': {self.words}"


def marks(text: str) -> Iterator[Mark]:
    for number, line in enumerate(text.splitlines(), 1):
        for mark in re.split(r"(?=# [a-z-]+ ')", line)[1:]:
            found = MARK.match(mark.strip())
            assert found, f"line {number}: {mark}"
            yield Mark(number, found["code"], found["word"], found["words"])


def found_marks(text: str, findings: Iterable[Diagnostic]) -> Iterator[Mark]:
    lines = text.splitlines()
    for finding in findings:
        source = finding.source
        word = lines[source.line - 1][source.column - 1 :][: source.width]
        yield Mark(source.line, str(finding.code), word, f"{finding.summary}\n{finding.detail}")


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


def judged(text: str, engine: Engine, without: tuple[str, ...] = ()) -> list[Diagnostic]:
    now, _, before = text.partition(BEFORE)
    path = PurePosixPath("case.yaml")
    hearing_of_case = Hearing(
        cluster=None,
        members=members(now, path),
        before={member.identity: member.body for member in members(before, path)} if before else {},
        without=without,
    )
    findings = hearing_of_case.judge(ROOT, read_releases(engine), engine)
    return [finding for finding in findings if finding.severity is Severity.ERROR]


def members(text: str, path: PurePosixPath) -> tuple[Member, ...]:
    objects: list[RenderedObject]
    objects, findings = read_manifest(text, path, AppId("", ""))
    assert not findings, findings
    return tuple(member for _, group in members_by_cluster(objects) for member in group)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_the_judges_refuse_what_is_marked_and_nothing_else(case: Path, engine: Engine) -> None:
    text = case.read_text("utf-8")
    expected, found = list(marks(text)), list(found_marks(text, judged(text, engine)))
    surprises = [str(one) for one in found if not any(mark.covers(one) for mark in expected)]
    silences = [str(mark) for mark in expected if not any(mark.covers(one) for one in found)]
    assert not surprises, "\n".join([f"{case} has no mark for:", *surprises, "and nobody says:", *silences])
    assert not silences, "\n".join([f"{case}: nobody says:", *silences])


@pytest.mark.parametrize("judge", sorted(judges.JUDGES))
def test_a_judge_that_is_not_asked_refuses_nothing(judge: str, engine: Engine) -> None:
    """The chain asks each of them: without one, its cases are no longer refused by it."""
    cases = [case for case in CASES if case.parent.name == judge and any(marks(case.read_text("utf-8")))]
    assert cases, f"there is no case for {judge}"
    for case in cases:
        text = case.read_text("utf-8")
        asked, not_asked = (
            [finding for finding in judged(text, engine, without) if signed_by(judge, finding)]
            for without in ((), (judge,))
        )
        assert asked, case.name
        assert not not_asked, case.name


def signed_by(judge: str, finding: Diagnostic) -> bool:
    return finding.detail.startswith(f"{judge} ") and finding.code is not Code.UNJUDGED


def test_every_judge_refuses_something_and_accepts_something() -> None:
    for judge in judges.JUDGES:
        texts = [case.read_text("utf-8") for case in CASES if case.parent.name == judge]
        assert any(list(marks(text)) for text in texts), judge
        assert any(not list(marks(text)) for text in texts), judge


def test_what_kubeconform_says_first_is_not_said_twice() -> None:
    assert set(judges.JUDGES) >= hearing.SHAPE
