"""A repository under Git in which runs of many kinds are rendered and merged: the state in which a pull request begins."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from load.test_git_base import git
from repositories import CLUSTER, JOB, TEAM, Project, Result, write_project

LAB = CLUSTER.replace(
    "  kueue: v0.19.2\n", "  kueue: v0.19.2\n  trainer: v2.3.0\n  jobset: v0.12.0\n"
).replace("argocd:", "priorities: {urgent: 1000}\nargocd:")
WEST = LAB.replace("name: lab", "name: west").replace("{class: nfs,", "{class: nfs-west,")
VISION = TEAM.replace(
    "  lab: {quota: {h100: 4, cpu: 4}}",
    "  lab: {quota: {h100: 4, cpu: 4}}\n  west: {quota: {h100: 4, cpu: 4}}",
).replace(
    "secrets: [wandb]", "secrets: [wandb]\nconfigMaps: [labels]\nserviceAccounts: [reader]\nclaims: [archive]"
)


def job(name: str, more: str = "", clusters: str = "lab") -> str:
    """A spec of team vision."""
    return JOB.replace("resnet", name) + f"clusters: [{clusters}]\n" + more


WIDE = "framework: pytorch\nnodes: 2\nprocsPerNode: 1\nfabric: none\n"
SCRIPT = "code: {files: [train.py]}\n"
OWN_CLAIM = (
    "data: {cache: {create: {storage: shared, size: 10Gi}, mountPath: /cache}, "
    "in: {volume: data, mountPath: /in}}\n"
)
JOBS: Mapping[str, str] = {
    "plain": job("plain", "checkpoint: {volume: checkpoints}\n"),
    "wide": job("wide", WIDE + SCRIPT + "parameters: {lr: 0.1}\n", "lab, west"),
    "cached": job("cached", WIDE + OWN_CLAIM),
    "trainer": job("trainer", WIDE + "backend: trainjob\n"),
    "ray": job("ray", "framework: ray\nrayVersion: 2.40.0\nnodes: 2\nfabric: none\n"),
    "swept": job("swept", "sweep: {grid: {lr: [0.1, 0.2]}, parallel: 2}\n"),
    "patched": job(
        "patched",
        "patches: [{target: {kind: Job}, merge: {metadata: {labels: {reviewed-by: alice}}}}]\n"
        "rawObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: patched-notes}, data: {text: hello}}]\n",
    ),
    "nightly": job("nightly", 'schedule: "0 2 * * *"\n'),
    "desk": job(
        "desk", "framework: ray\nrayVersion: 2.40.0\nbackend: raycluster\nnodes: 2\nfabric: none\n"
    ).replace("run: {command: [python, -m, train]}\n", ""),
}
ONE_SHOT = ("plain", "wide", "cached", "trainer", "ray", "swept", "patched")
"""The jobs whose runs are sealed; the others keep one name and live on."""

TEAM_FILE = "specs/teams/vision.yaml"

FILES: Mapping[str, str] = {
    ".gitignore": ".trainshed/\n",
    "specs/clusters/lab.yaml": LAB,
    "specs/clusters/west.yaml": WEST,
    "specs/teams/vision.yaml": VISION,
    "specs/jobs/vision/train.py": "print('hello')\n",
    **{f"specs/jobs/vision/{name}.yaml": text for name, text in JOBS.items()},
}

Tree = dict[str, str]


@dataclass(frozen=True)
class Shed:
    """A clone of the repository, with what people do in it."""

    project: Project

    @property
    def path(self) -> Path:
        return self.project.path

    def run(self, *words: str) -> Result:
        done = self.project.act(*words)
        assert done.err == "", done.err
        return done

    def render(self, *words: str) -> str:
        """Render; it has to go well. What it said."""
        done = self.run("render", *words)
        assert done.code == 0, done.out
        return done.out

    def refuse(self, *words: str) -> str:
        """Run a command that has to find errors. What it said."""
        done = self.run(*words)
        assert done.code == 1, done.out
        return done.out

    def check(self, *words: str) -> str:
        """Check; it has to go well. What it said."""
        done = self.run("check", *words)
        assert done.code == 0, done.out
        return done.out

    def git(self, *words: str) -> str:
        return git(self.path, *words)

    def merge(self, branch: str) -> bool:
        """Merge with Git itself; whether it did so without a conflict."""
        words = [
            "git",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.com",
            "merge",
            "--quiet",
            "--no-edit",
            branch,
        ]
        return subprocess.run(words, cwd=self.path, capture_output=True).returncode == 0

    def save(self, message: str = "a change") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def land(self) -> None:
        """Commit, and let main be where the branch is: the pull request was merged."""
        self.save()
        self.git("branch", "--force", "main", "HEAD")

    def branch(self, name: str, start: str = "main") -> None:
        self.git("switch", "--quiet", "--create", name, start)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        self.project.write(files)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace words in a file; they have to be there."""
        path = self.path / name
        text = path.read_text("utf-8")
        assert old in text, f"{old!r} is not in {name}"
        path.write_text(text.replace(old, new), "utf-8")

    def edit_job(self, name: str, old: str, new: str) -> None:
        self.edit(f"specs/jobs/vision/{name}.yaml", old, new)

    def append(self, name: str, line: str) -> None:
        """Another line at the end of a job's spec."""
        path = self.path / f"specs/jobs/vision/{name}.yaml"
        path.write_text(path.read_text("utf-8") + line, "utf-8")

    def tree(self, *jobs: str) -> Tree:
        """Every generated file, or those of some jobs, by path."""
        found = self.project.read_tree("overlays", "rendered")
        apps = {f"job-vision-{name}" for name in jobs}
        return {path: text for path, text in found.items() if not jobs or apps & set(path.split("/"))}

    def runs(self, name: str, cluster: str = "lab") -> list[str]:
        """The names of the runs that have a seal."""
        folder = self.path / f"overlays/job-vision-{name}/{cluster}/seals"
        return sorted(path.stem for path in folder.glob("*.json"))

    def seal_path(self, name: str, cluster: str = "lab") -> str:
        """Where the one seal of a job lies."""
        (run,) = self.runs(name, cluster)
        return f"overlays/job-vision-{name}/{cluster}/seals/{run}.json"

    def seal(self, name: str, cluster: str = "lab") -> dict[str, Any]:
        return json.loads((self.path / self.seal_path(name, cluster)).read_text("utf-8"))

    def forge(self, name: str, **fields: Any) -> None:
        """Write other words into a job's seal."""
        self.write({self.seal_path(name): json.dumps({**self.seal(name), **fields}, indent=2)})

    def rendered(self, name: str, cluster: str = "lab") -> list[str]:
        """The names of a job's files on a cluster."""
        folder = self.path / f"rendered/{cluster}/job-vision-{name}"
        return sorted(path.name for path in folder.glob("*.yaml"))


def make_shed(folder: Path) -> Shed:
    """The repository, rendered and committed on main, with a branch `change` checked out."""
    shed = Shed(write_project(folder, FILES))
    shed.git("init", "--quiet")
    shed.render()
    shed.save("rendered")
    shed.branch("change")
    return shed


def clone_shed(template: Path, folder: Path) -> Shed:
    shutil.copytree(template, folder)
    return Shed(Project(folder))


def changed(before: Tree, after: Tree) -> set[str]:
    """The paths that were added, changed or removed."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def only_seals(paths: set[str]) -> set[str]:
    return {path for path in paths if "/seals/" in path}
