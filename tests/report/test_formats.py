"""Every format through the real command, with the exit codes that CI acts on."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from repositories import JOB, SMALL, Project

from trainshed.report.outcome import FORMATS

Make = Callable[..., Project]

WRONG = {**SMALL, "specs/jobs/vision/resnet.yaml": JOB + "gpu: 4\n"}
READERS: dict[str, Callable[[str], list[tuple[str, str]]]] = {
    "text": lambda text: [
        (line.split(":")[0], line.split("[")[1].split("]")[0]) for line in text.split("\n")[:1]
    ],
    "json": lambda text: [(one["source"]["path"], one["code"]) for one in json.loads(text)],
    "sarif": lambda text: [
        (one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], one["ruleId"])
        for one in json.loads(text)["runs"][0]["results"]
    ],
    "junit": lambda text: [
        (case.get("file") or "", failure.get("type") or "")
        for case in ElementTree.fromstring(text).iter("testcase")
        for failure in case.iter("failure")
    ],
    "github": lambda text: [
        (text.split("file=")[1].split(",")[0], text.split("title=")[1].split("::")[0]) for _ in range(1)
    ],
}


def test_every_format_is_read_here() -> None:
    assert set(READERS) == set(FORMATS)


@pytest.mark.parametrize("command", ["check", "render"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_the_same_finding(command: str, form: str, project: Make) -> None:
    done = project(WRONG).run(command, "--format", form)
    assert (done.code, done.err) == (1, "")
    assert READERS[form](done.out) == [("specs/jobs/vision/resnet.yaml", "unknown-field")]


@pytest.mark.parametrize("form", FORMATS)
def test_formats_show_no_line_of_a_file_that_is_a_link(form: str, project: Make, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("apiVersion: not-to-be-shown\n")
    made = project(SMALL)
    (tmp_path / "specs/jobs/vision/linked.yaml").symlink_to(tmp_path / "elsewhere")
    done = made.run("check", "--format", form)
    assert (done.code, "linked.yaml" in done.out) == (1, True)
    assert "not-to-be-shown" not in done.out


def test_unknown_format_is_a_mistake_of_the_command_line(project: Make) -> None:
    done = project(SMALL).run("check", "--format", "xml")
    assert done.code == 2
    assert "'text', 'json', 'sarif', 'junit', 'github'" in done.err
