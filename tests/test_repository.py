"""The specs of this repository render to exactly what is committed."""

from pathlib import Path

from repositories import Project


def test_what_is_committed_is_what_the_specs_say() -> None:
    done = Project(Path(__file__).parents[1]).run("check")
    assert done.code == 0, done.out + done.err
