"""The real command, killed while it writes: what is left is the old tree or, after the next command, the new one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from repositories import JOB, SMALL, TEAM, Project, write_project

MakeProject = Callable[[Mapping[str, str]], Project]
RUN = "run: {command: [python, -m, train]}"
WIDE = JOB.replace(RUN, "framework: pytorch\nrun: {module: train}\nnodes: 2\nparameters: {lr: 0.1}")
"""A PyTorchJob: a Job that is there may not be changed by its team."""

JOBS = {f"specs/jobs/vision/job-{index}.yaml": WIDE.replace("resnet", f"job-{index}") for index in range(6)}
OLD: Mapping[str, str] = {**SMALL, "specs/jobs/vision/resnet.yaml": WIDE, **JOBS}
NEW: Mapping[str, str] = {
    **OLD,
    "specs/teams/vision.yaml": TEAM + "owner: alice\n",
    **{name: text + "cpu: 2\n" for name, text in OLD.items() if name.startswith("specs/jobs/")},
}
LEFTOVERS = ("journal", "stage")


def tree(project: Project) -> dict[str, str]:
    return project.read_tree("overlays", "rendered")


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict[str, str]]:
    """The old and the new tree; nearly every file differs."""
    project = write_project(tmp_path_factory.mktemp("trees"), OLD)
    assert project.run("render").code == 0
    old = tree(project)
    project.write(NEW)
    assert project.run("render").code == 0
    return old, tree(project)


def kill_render(project: Project, delay_seconds: float) -> bool:
    """Kill the render this long after it began to write; whether it was still running."""
    child = subprocess.Popen(
        [sys.executable, "-m", "trainshed", "render"],
        cwd=project.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    stage = project.path / ".trainshed/stage"
    while child.poll() is None and not stage.exists():
        time.sleep(0.0005)
    time.sleep(delay_seconds)
    was_running = child.poll() is None
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        assert not was_running
    child.wait()
    return was_running


@pytest.mark.parametrize("delay_seconds", [0, 0.003, 0.008, 0.015, 0.025, 0.04])
def test_a_killed_render_leaves_the_old_tree_or_the_new_one(
    tmp_path: Path, trees: tuple[dict[str, str], dict[str, str]], delay_seconds: float
) -> None:
    old, new = trees
    project = write_project(tmp_path, NEW)
    project.write(old)
    was_running = kill_render(project, delay_seconds)
    checked = project.run("check")
    found = tree(project)
    assert checked.code == (0 if found == new else 1)
    assert found in ((old, new) if was_running else (new,))
    assert [name for name in LEFTOVERS if (project.path / ".trainshed" / name).exists()] == []


def test_a_render_after_a_killed_one_finishes_alone(
    tmp_path: Path, trees: tuple[dict[str, str], dict[str, str]]
) -> None:
    project = write_project(tmp_path, NEW)
    project.write(trees[0])
    kill_render(project, 0.01)
    assert project.run("render").code == 0
    assert tree(project) == trees[1]
    assert project.run("check").code == 0


def test_only_a_job_is_written_and_nothing_else_is_touched(
    project: MakeProject, trees: tuple[dict[str, str], dict[str, str]]
) -> None:
    written = project(NEW)
    written.write(trees[0])
    written.write(
        {"rendered/lab/stranger.yaml": "kind: Stranger\n", "overlays/job-vision-job-1/base/extra.yaml": ""}
    )
    before = tree(written)
    result = written.run("render", "--only", "job=job-0")
    assert (result.code, result.err) == (0, "")
    after = tree(written)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed
    own = ("overlays/job-vision-job-0/", "rendered/lab/job-vision-job-0/")
    assert {path for path in changed if not path.startswith(own)} == set()
    assert {path: after[path] for path in after if path.startswith(own)} == {
        path: text for path, text in trees[1].items() if path.startswith(own)
    }


def test_only_a_new_job_comes_with_its_application(project: MakeProject) -> None:
    written = project(SMALL)
    result = written.run("render", "--only", "job=resnet")
    assert result.code == 0
    found = tree(written)
    assert {path.split("/")[2] for path in found if path.startswith("rendered/")} == {
        "job-vision-resnet",
        "argocd",
    }
    assert [path for path in found if "/argocd/" in path] == [
        "rendered/lab/argocd/runs/application-lab-job-vision-resnet.yaml"
    ]


def test_only_removes_what_the_job_no_longer_makes(project: MakeProject) -> None:
    written = project({**SMALL, **JOBS})
    assert written.run("render").code == 0
    before = tree(written)
    written.write({"specs/jobs/vision/job-3.yaml": JOB.replace("resnet", "job-3")})
    assert written.run("render", "--only", "job=vision/job-3").code == 0
    gone = before.keys() - tree(written).keys()
    assert gone
    assert {path for path in gone if "/job-vision-job-3/" not in path} == set()


def test_only_checks_the_job_and_not_the_rest(project: MakeProject) -> None:
    written = project({**SMALL, **JOBS})
    assert written.run("render").code == 0
    written.write({"specs/jobs/vision/job-3.yaml": JOBS["specs/jobs/vision/job-3.yaml"] + "cpu: 3\n"})
    assert written.run("check", "--only", "job=job-4").code == 0
    assert written.run("check", "--only", "job=job-3").code == 1


def test_a_selection_of_nothing_is_a_wrong_command_line(project: MakeProject) -> None:
    written = project(SMALL)
    unknown, malformed = (
        written.run("render", "--only", "job=resnt"),
        written.run("render", "--only", "resnet"),
    )
    assert (unknown.code, malformed.code) == (2, 2)
    assert 'did you mean "resnet"?' in unknown.err
    assert "job=NAME" in malformed.err
    assert tree(written) == {}


def test_nothing_is_written_when_anything_is_wrong(project: MakeProject) -> None:
    written = project(SMALL)
    assert written.run("render").code == 0
    before = tree(written)
    written.write(
        {"specs/jobs/vision/vit.yaml": JOB.replace("resnet", "vit").replace("vision\n", "visions\n", 1)}
    )
    assert written.run("render").code == 1
    assert tree(written) == before
