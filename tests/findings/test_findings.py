"""Every finding: the smallest mistake that yields it, and the whole report that a person reads then.

A case is a folder `<code>/[<variant>/]`: the files that differ from the small repository of tests/repositories.py,
and report.txt, all that `trainshed check` says about them.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from conftest import Golden
from findings.elsewhere import ELSEWHERE
from findings.hostile import HOSTILE
from repositories import SMALL, Project, write_project

from trainshed.model.code_groups import group_codes
from trainshed.model.codes import Code

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "findings.md"
REPORT = "report.txt"

WARNINGS = frozenset(
    {
        "claim-empty/only-read",
        "fabric-unused/warning",
        "notice-too-short",
        "priority-unused",
        "privileged/waived",
        "release-differs",
        "volume-apart",
        "waiver-unused",
    }
)
"""Cases that stop nothing: `render` says them, where `check` would go on to say that nothing is rendered yet."""


def read_cases() -> Mapping[str, Mapping[str, bytes]]:
    """The files of each case, by the case's name."""
    cases: dict[str, dict[str, bytes]] = {}
    for path in sorted(HERE.glob("**/*")):
        parts = path.relative_to(HERE).parts
        depth = next((depth for depth, part in enumerate(parts) if part in TOPS), None)
        if depth and path.is_file():
            name, inside = "/".join(parts[:depth]), "/".join(parts[depth:])
            cases.setdefault(name, {})[inside] = path.read_bytes()
    return cases


TOPS = frozenset({"specs", "rendered", "overlays", "schemas"})
CASES = read_cases()


def run_case(project: Project, name: str) -> tuple[int, str]:
    """Exit code and report; of a render, without the line that counts what it wrote."""
    if name not in WARNINGS:
        done = project.run("check")
        return done.code, done.out + done.err
    done = project.run("render")
    return done.code, done.out[: done.out.rstrip("\n").rindex("\n") + 1] + done.err


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_reported_with_place_word_and_advice(name: str, tmp_path: Path, golden: Golden) -> None:
    code, report = run_case(write_project(tmp_path, {**SMALL, **CASES[name]}), name)
    assert f"[{name.partition('/')[0]}]" in report
    assert code == (0 if name in WARNINGS else 1)
    golden.check(HERE / name / REPORT, report)


def test_every_code_has_a_case_and_every_case_a_code() -> None:
    by_hand = {name.partition("/")[0] for name in CASES}
    made = {case.code.value for case in HOSTILE}
    elsewhere = {proof.code.value for proof in ELSEWHERE}
    assert {code.value for code in Code} == by_hand | made | elsewhere
    assert not elsewhere & (by_hand | made)


def test_what_is_proven_elsewhere_is_proven_there() -> None:
    for proof in ELSEWHERE:
        file = HERE.parent / proof.file
        text = file.read_text("utf-8")
        assert f"def {proof.test}(" in text, proof
        texts = [text, *(case.read_text("utf-8") for case in file.parent.glob("*/*.yaml"))]
        said = (f"Code.{proof.code.name}", f": {proof.code}: ", f"# {proof.code} '")
        assert any(words in text for text in texts for words in said), proof


def test_every_report_has_its_case() -> None:
    reports = {path.parent.relative_to(HERE).as_posix() for path in HERE.rglob(REPORT)}
    assert reports == CASES.keys() | {case.folder for case in HOSTILE}


def test_the_page_of_findings_is_what_the_cases_say(golden: Golden) -> None:
    golden.check(DOCS, write_page())


def write_page() -> str:
    """A table for each group of codes: the page of each, what it means, and how its first case reads."""
    tables = [line for title, codes in group_codes().items() for line in write_group(title, codes)]
    return "\n".join([*PREFACE, *tables, ""])


def write_group(title: str, codes: Iterable[Code]) -> Iterator[str]:
    yield from ("", f"## {title}", "", "| code | meaning | for example |", "|---|---|---|")
    for code in codes:
        yield f"| [`{code}`](findings/{code}.md) | {code.meaning} | {show_example(code)} |"


PREFACE = (
    "# Findings",
    "",
    "Every finding has a code, printed in brackets: `error[unknown-queue]`. An error stops a render and fails",
    "`trainshed check`; a warning does neither. Each finding stands at the word that is wrong, and says what to do.",
    "Each code has a page: why it matters, how to mend it, and how to waive it where it can be waived. In a terminal,",
    "`trainshed explain CODE` shows the same page. What is waived is still said, as a note with the reason.",
    "",
    "The examples are those of `tests/findings`, where each code has a folder of its own; this page is written from",
    "there by `pytest tests/findings --update-golden`.",
)


def show_example(code: Code) -> str:
    """The first sentence that a case has for the code."""
    names = [name for name in CASES if name.partition("/")[0] == code]
    names += [case.folder for case in HOSTILE if case.code == code]
    reports = [(HERE / name / REPORT).read_text("utf-8") for name in names]
    reports += [f"x: error[{proof.code}]: {proof.example}" for proof in ELSEWHERE if proof.code == code]
    lines = (line for report in reports for line in report.splitlines() if f"[{code}]: " in line)
    sentence = next(lines, "").partition(f"[{code}]: ")[2]
    return sentence.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
