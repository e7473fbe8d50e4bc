"""Hostile files become findings at once: nothing is followed, waited for, or read to its end."""

from pathlib import Path

import pytest
from conftest import Golden
from findings.hostile import HOSTILE, Hostile
from repositories import SMALL, write_project

HERE = Path(__file__).parent


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.folder)
def test_a_hostile_file_is_reported_and_nothing_else_happens(
    case: Hostile, tmp_path: Path, golden: Golden
) -> None:
    project = write_project(tmp_path, {**SMALL, **case.files})
    if case.rendered:
        assert project.run("render").code == 0
    case.breaks(tmp_path)
    done = project.run("check")
    report = done.out + done.err
    assert f"[{case.code}]" in report
    assert done.code == 1
    golden.check(HERE / case.folder / "report.txt", report)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "mistake", ["", "nodse: 2", "memory: {secret}", "image: {secret}", "run: {{script: {secret}}}"]
)
def test_a_secret_is_never_repeated_whatever_else_is_wrong(mistake: str, form: str, tmp_path: Path) -> None:
    secret = "hf_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    job = (
        SMALL["specs/jobs/vision/resnet.yaml"]
        + f"env: {{TOKEN: {secret}, PASSWORD: open-sesame, seed: [1]}}\n"
    )
    text = "\n".join(line for line in job.splitlines() if not mistake.startswith(line.partition(":")[0]))
    project = write_project(
        tmp_path, {**SMALL, "specs/jobs/vision/resnet.yaml": f"{text}\n{mistake.format(secret=secret)}\n"}
    )
    done = project.run("check", "--format", form)
    assert done.code == 1
    assert secret not in done.out + done.err
    assert "open-sesame" not in done.out + done.err
