"""A small checkout on disk, and what stands in it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeAlias

import pytest

from trainshed.model.diagnostic import Findings
from trainshed.report.changes import Selects, plan_changes, select_all
from trainshed.report.commit import commit_changes

Files: TypeAlias = Mapping[str, str]
Render: TypeAlias = Callable[..., Findings]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with two generated files and one that a person wrote."""
    for path, text in {
        "specs/a.yaml": "kind: TrainingJob\n",
        "overlays/a/base/k.yaml": "k\n",
        "rendered/x/a/job.yaml": "old\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture
def render(root: Path) -> Render:
    """Plans and commits the files; gives the findings of the step that refused."""

    def run(files: Files, selects: Selects = select_all) -> Findings:
        planned = plan_changes(
            root, {PurePosixPath(path): text for path, text in files.items()}, selects=selects
        )
        return planned.findings if planned.value is None else commit_changes(root, planned.value)

    return run


@pytest.fixture
def listing(root: Path) -> Callable[[], dict[str, str]]:
    """Every file of the checkout with its text, `.trainshed` left out; links show where they lead."""

    def read(path: Path) -> str:
        return f"-> {os.readlink(path)}" if path.is_symlink() else path.read_text()

    def run() -> dict[str, str]:
        paths = [path for path in root.rglob("*") if path.is_symlink() or path.is_file()]
        names = {str(path.relative_to(root)): path for path in sorted(paths)}
        return {name: read(path) for name, path in names.items() if not name.startswith(".trainshed/")}

    return run
