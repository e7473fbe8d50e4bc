"""A render that is killed anywhere leaves the old tree or, after the next command, the new one."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHILD = Path(__file__).with_name("crash_child.py")


@pytest.fixture(scope="module")
def crashes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Every pair of a crash of the render and a crash of the command after it."""
    folder = tmp_path_factory.mktemp("crash")
    child = subprocess.run(
        [sys.executable, str(CHILD), str(folder)], capture_output=True, text=True, check=True
    )
    return json.loads(child.stdout)


def test_recovery_gives_the_whole_old_or_the_whole_new_tree(crashes: list[dict[str, Any]]) -> None:
    assert [crash for crash in crashes if crash["recovered"] == "mixed" or crash["leftovers"]] == []


def test_the_journal_decides_between_old_and_new(crashes: list[dict[str, Any]]) -> None:
    assert {crash["recovered"] for crash in crashes if crash["is_promised"]} == {"new"}
    unpromised = [crash for crash in crashes if not crash["is_promised"]]
    assert [crash for crash in unpromised if crash["recovered"] != crash["left"]] == []
    assert {crash["left"] for crash in unpromised} == {"old", "new"}


def test_crashes_fall_on_both_sides_of_the_commit_point_and_between_the_moves(
    crashes: list[dict[str, Any]],
) -> None:
    operations = {crash["operation"]: crash["left"] for crash in crashes}
    lefts = [operations[operation] for operation in sorted(operations)]
    assert lefts == sorted(lefts, key=["old", "mixed", "new"].index)
    assert all(lefts.count(left) > 1 for left in ("old", "mixed", "new"))
