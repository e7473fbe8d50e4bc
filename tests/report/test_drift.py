"""What `check` says when the committed files are not what the specs say."""

from pathlib import Path, PurePosixPath

import pytest

from trainshed.model.diagnostic import Findings
from trainshed.model.source import Source
from trainshed.report.changes import plan_changes
from trainshed.report.drift import find_difference, find_drift
from trainshed.report.text import format_findings

PATH = PurePosixPath("rendered/x/a/job.yaml")


def say(findings: Findings, root: Path) -> str:
    def read_line(path: PurePosixPath, line: int) -> str | None:
        if not (root / path).is_file():
            return None
        return (root / path).read_text().splitlines()[line - 1]

    return format_findings(findings, read_line, color=False)


def test_drift_names_the_word_the_spec_and_the_way_out(root: Path) -> None:
    (root / PATH).write_text("kind: Job\nspec:\n  nodes: 4  # by hand\n")
    (root / "rendered/x/a/README.md").write_text("mine\n")
    wanted = {PATH: "kind: Job\nspec:\n  nodes: 2\n", PurePosixPath("rendered/x/b/job.yaml"): "b\n"}
    wanted[PurePosixPath("overlays/a/base/k.yaml")] = "k\n"
    changes = plan_changes(root, wanted).value
    assert changes is not None
    findings = find_drift(
        changes, {path: PurePosixPath(f"specs/{path.parts[2]}.yaml") for path in wanted}, {}
    )
    assert say(findings, root) == (
        "rendered/x/a/README.md:1:1: error[foreign-file]: README.md is made by no spec\n"
        "    1 | mine\n"
        "      | ^\n"
        "   delete it, or run `trainshed render`, which does, and commit the result\n"
        "\n"
        "rendered/x/a/job.yaml:3:10: error[stale-file]: job.yaml is not what the specs say\n"
        "    3 |   nodes: 4  # by hand\n"
        "      |          ^^^\n"
        "   the specs say: nodes: 2\n"
        "   run `trainshed render` and commit the result; what was changed by hand belongs in specs/a.yaml, under `patches` where no field says it\n"
        "\n"
        "rendered/x/b/job.yaml:1:1: error[missing-file]: job.yaml is not there\n"
        "   run `trainshed render` and commit the result; to be rid of it edit specs/b.yaml\n"
        "\n"
        "3 errors\n"
    )


def test_a_tree_as_the_specs_say_has_no_drift(root: Path) -> None:
    changes = plan_changes(root, {PATH: "old\n", PurePosixPath("overlays/a/base/k.yaml"): "k\n"}).value
    assert changes is not None
    assert find_drift(changes, {}, {}) == ()


@pytest.mark.parametrize(
    ("found", "wanted", "place", "said"),
    [
        ("a\nb: 1\nc\n", "a\nb: 12\nc\n", (2, 5, 1), "the specs say: b: 12"),
        ("ä: é\n", "ä: ö\n", (1, 4, 1), "the specs say: ä: ö"),
        ("a\nmore\n", "a\n", (2, 1, 4), "the specs say that the file ends before this line"),
        ("a\n", "a\nmore\n", (2, 1, 1), "the specs say: more"),
        ("", "a\n", (1, 1, 1), "the specs say: a"),
        ("a\nb", "a\nb\n", (2, 2, 1), "the specs say that a line break ends this line"),
        (
            "a: 1\r\nb\r\n",
            "a: 1\nb\n",
            (1, 5, 1),
            "the lines end with CR LF: mark the generated folders with `-text` in .gitattributes",
        ),
        ("x" * 99, "y" * 99, (1, 1, 99), "the specs say: " + "y" * 79 + "…"),
    ],
)
def test_the_first_difference_is_marked(
    found: str, wanted: str, place: tuple[int, int, int], said: str
) -> None:
    assert find_difference(PATH, found.encode(), wanted.encode()) == (Source(PATH, *place), said)


def test_bytes_that_are_no_text_are_marked_too() -> None:
    place, said = find_difference(PATH, b"a: \xff\xfe\n", b"a: b\n")
    assert (place, said) == (Source(PATH, 1, 4, 2), "the specs say: a: b")


def test_many_stale_files_are_counted_after_the_twentieth(root: Path) -> None:
    wanted = {PurePosixPath(f"rendered/x/n/job-{number:02}.yaml"): "n\n" for number in range(23)}
    wanted |= {PATH: "old\n", PurePosixPath("overlays/a/base/k.yaml"): "k\n"}
    changes = plan_changes(root, wanted).value
    assert changes is not None
    text = say(find_drift(changes, {}, {}), root)
    assert text.count("error[missing-file]: job-") == 20
    assert "job-19.yaml" in text
    assert "job-20.yaml" not in text
    assert text.endswith("\n\n3 more [missing-file]: a generated file is not there\n\n23 errors\n")
