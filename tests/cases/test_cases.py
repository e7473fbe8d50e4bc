"""Whole trees: what each case's specs render to, file by file and byte by byte.

`--update-golden` rewrites `expected/`; read the difference before committing it.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import Golden
from repositories import Project

HERE = Path(__file__).parent
CASES: Mapping[str, tuple[str, ...]] = {
    "cronjob": ("--only", "job=nightly"),
    "job": ("--only", "job=resnet"),
    "pytorchjob-elastic": ("--only", "job=vit"),
    "pytorchjob-two-clusters": ("--only", "job=llama"),
    "queues": (),
    "rayjob": ("--only", "job=tune"),
}
"""Each folder, and what `render` is asked for in it."""


def test_every_folder_is_a_case() -> None:
    assert sorted(path.parent.name for path in HERE.glob("*/specs")) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_case_renders_to_the_expected_tree(name: str, tmp_path: Path, golden: Golden) -> None:
    shutil.copytree(HERE / name / "specs", tmp_path / "specs")
    project = Project(tmp_path)
    result = project.run("render", *CASES[name])
    assert (result.code, result.err) == (0, "")
    rendered = project.read_tree("overlays", "rendered")
    expected = HERE / name / "expected"
    if golden.update:
        shutil.rmtree(expected, ignore_errors=True)
        Project(expected).write(rendered)
    assert sorted(Project(expected).read_tree("overlays", "rendered")) == sorted(rendered)
    assert Project(expected).read_tree("overlays", "rendered") == rendered
