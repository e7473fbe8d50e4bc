"""Small repositories for tests: literal files in, the real command line out."""

import gc
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

import pytest

CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators:
  training-operator: v1.9.4
  kuberay: v1.6.2
  kueue: v0.19.2
pools:
  h100: {machine: onprem/dgx-h100, nodes: 4, labels: {pool: h100}}
  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu}}
storage:
  shared: {class: nfs, driver: nfs.csi.k8s.io}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
"""
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: vision
clusters:
  lab: {quota: {h100: 4, cpu: 4}}
volumes:
  data: {storage: shared, size: 1Ti}
  checkpoints: {storage: shared, size: 1Ti}
secrets: [wandb]
defaults: {clusters: [lab]}
"""
JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: resnet
team: vision
image: registry.example.com/vision/train:1.0
run: {command: [python, -m, train]}
"""
SMALL: Mapping[str, str] = {
    "specs/clusters/lab.yaml": CLUSTER,
    "specs/teams/vision.yaml": TEAM,
    "specs/jobs/vision/resnet.yaml": JOB,
}
"""A cluster, a team and a job that render without a finding."""


@dataclass(frozen=True)
class Result:
    """What a command said, and the code that it left with."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Project:
    """A repository in a temporary folder."""

    path: Path

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Result:
        """Run `trainshed` in a process of its own, as a person or CI would."""
        done = subprocess.run(
            [sys.executable, "-m", "trainshed", *arguments],
            cwd=self.path,
            env={**os.environ, "NO_COLOR": "1", **(env or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def act(self, *arguments: str) -> Result:
        """Run `trainshed` in this very process: the same command line, without a second for Python and Node to start."""
        from trainshed.cli.main import main

        out, err = StringIO(), StringIO()
        with (
            chdir(self.path),
            patch.object(sys, "argv", ["trainshed", *arguments]),
            patch.object(sys, "stdin", TextIOWrapper(BytesIO())),
            patch.dict(os.environ, {"NO_COLOR": "1"}),
            redirect_stdout(out),
            redirect_stderr(err),
            pytest.raises(SystemExit) as left,
        ):
            main()
        gc.enable()
        return Result(int(left.value.code or 0), out.getvalue(), err.getvalue())

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write further files, or write them anew."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def read_tree(self, *folders: str) -> dict[str, str]:
        """The text of every file below the folders, by path."""
        return {
            path.relative_to(self.path).as_posix(): path.read_text("utf-8")
            for folder in folders
            for path in sorted((self.path / folder).rglob("*"))
            if path.is_file()
        }


def write_project(folder: Path, files: Mapping[str, str | bytes]) -> Project:
    """A repository with these files."""
    made = Project(folder)
    made.write(files)
    return made
