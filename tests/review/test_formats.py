"""Every format of one review, whole: golden files, read before they are committed."""

import json
from pathlib import Path
from typing import Any

import pytest
from load.test_git_base import git
from review.conftest import Branch

GOLDEN = Path(__file__).parent / "golden"
SUFFIXES = {"text": "txt", "markdown": "md", "html": "html", "json": "json"}


@pytest.fixture
def proposal(branch: Branch) -> Branch:
    """A bit of everything that a reviewer meets."""
    branch.edit("specs/jobs/vision/bert.yaml", "memory: 16Gi", "memory: 32Gi")
    branch.edit("specs/jobs/vision/train.py", "'one'", "'two'")
    branch.edit("specs/jobs/vision/resnet.yaml", "train:1.0", "train:1.1")
    branch.edit("specs/jobs/vision/nightly.yaml", "0 3 * * *", "0 4 * * *")
    branch.edit("specs/teams/vision.yaml", "  data: {storage: shared, size: 1Ti}\n", "")
    branch.edit("specs/teams/vision.yaml", "memory: 8Gi", "memory: 12Gi")
    return branch


@pytest.mark.parametrize("form", SUFFIXES)
def test_format_is_what_was_agreed_on(proposal: Branch, form: str, golden: Any) -> None:
    done = proposal.diff("--format", form)
    assert (done.code, done.err) == (0, "")
    commit = git(proposal.project.path, "rev-parse", "main")
    shown = done.out.replace(commit, "COMMIT").replace(commit[:12], "COMMIT")
    golden.check(GOLDEN / f"review.{SUFFIXES[form]}", shown)


def test_output_goes_to_the_file_and_nowhere_else(proposal: Branch) -> None:
    done = proposal.diff("--format", "json", "--output", "review.json")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert json.loads((proposal.project.path / "review.json").read_text("utf-8"))["version"] == 1


def test_text_has_color_where_it_is_asked_for_and_never_in_a_file(proposal: Branch) -> None:
    colored = proposal.project.run("diff", "--base", "main", env={"NO_COLOR": "", "FORCE_COLOR": "1"})
    assert "\x1b[" in colored.out
    proposal.project.run(
        "diff", "--base", "main", "--output", "review.txt", env={"NO_COLOR": "", "FORCE_COLOR": "1"}
    )
    assert "\x1b[" not in (proposal.project.path / "review.txt").read_text("utf-8")
