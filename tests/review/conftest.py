"""A repository whose base is rendered and merged once; each test edits a copy of it on a branch."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from load.test_git_base import git
from repositories import CLUSTER, SMALL, TEAM, Project, Result, write_project

TWO_CLUSTERS = TEAM.replace(
    "  lab: {quota: {h100: 4, cpu: 4}}", "  lab: {quota: {h100: 4, cpu: 4}}\n  edge: {}"
).replace(
    "defaults: {clusters: [lab]}",
    "defaults:\n  clusters: [lab, edge]\n  memory: 8Gi\n",
)
BERT = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: bert
team: vision
image: registry.example.com/vision/bert:2.0@sha256:5944ae849448011ca08c3785f1de1a54c8a96d6c23f787f9d962b624edd4151d
clusters: lab
code: {files: [train.py]}
run: {script: train.py, args: [--lr=0.1]}
checkpoint: {volume: checkpoints, every: 10m}
memory: 16Gi
"""
NIGHTLY = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: nightly
team: vision
image: registry.example.com/vision/train:1.0
clusters: lab
run: {command: [python, -m, nightly]}
schedule: {cron: "0 3 * * *", timeZone: Etc/UTC}
"""
MERGED: Mapping[str, str] = {
    **SMALL,
    "specs/clusters/edge.yaml": CLUSTER.replace("name: lab", "name: edge"),
    "specs/teams/vision.yaml": TWO_CLUSTERS,
    "specs/jobs/vision/bert.yaml": BERT,
    "specs/jobs/vision/train.py": "import torch\n\n\ndef main():\n    print('one')\n\n\nmain()\n",
    "specs/jobs/vision/nightly.yaml": NIGHTLY,
}
"""Two clusters, a team on both, a job on both, one with checkpoints and code, and a schedule."""


@dataclass(frozen=True)
class Branch:
    """A branch on which specs are edited."""

    project: Project

    def edit(self, path: str, old: str, new: str) -> None:
        """Put other words into a file, in the place of words that stand there."""
        text = (self.project.path / path).read_text("utf-8")
        assert old in text, f"{path} does not say {old!r}"
        self.project.write({path: text.replace(old, new)})

    def remove(self, path: str) -> None:
        (self.project.path / path).unlink()

    def diff(self, *words: str) -> Result:
        return self.project.act("diff", "--base", "main", *words)

    def review(self) -> dict[str, Any]:
        """The review as a program reads it."""
        done = self.diff("--format", "json")
        assert done.out, done.err
        return json.loads(done.out)

    def find_seal(self, cluster: str, job: str) -> str:
        """The path of the one seal of a job on a cluster."""
        (path,) = (self.project.path / f"overlays/job-vision-{job}/{cluster}/seals").glob("*.json")
        return path.relative_to(self.project.path).as_posix()


@pytest.fixture(scope="session")
def merged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The base: rendered, and merged to main."""
    made = write_project(tmp_path_factory.mktemp("merged"), MERGED)
    done = made.run("render")
    assert done.code == 0, done.out
    git(made.path, "init", "--quiet")
    git(made.path, "add", "--all")
    git(made.path, "commit", "--quiet", "--message", "merged", "--date", "2026-01-01T00:00:00Z")
    git(made.path, "switch", "--quiet", "--create", "change")
    return made.path


@pytest.fixture
def branch(merged: Path, tmp_path: Path) -> Branch:
    folder = tmp_path / "repository"
    shutil.copytree(merged, folder)
    return Branch(Project(folder))


Rows = Callable[..., list[dict[str, Any]]]
