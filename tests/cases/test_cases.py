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
    "bucket": (),
    "coscheduling": ("--only", "job=unet"),
    "cronjob": ("--only", "job=nightly"),
    "fabric-efa": ("--only", "job=llama"),
    "fabric-infiniband": ("--only", "job=llama"),
    "job": ("--only", "job=resnet"),
    "jobset-roles": ("--only", "job=agent"),
    "mig": (),
    "mirror": (),
    "monitoring": (),
    "mpijob": ("--only", "job=bert"),
    "openshift": (),
    "patches": ("--only", "job=tuned"),
    "pytorchjob-elastic": ("--only", "job=vit"),
    "pytorchjob-two-clusters": ("--only", "job=llama"),
    "queues": (),
    "raycluster": ("--only", "job=desk"),
    "rayjob": ("--only", "job=tune"),
    "snapshots": (),
    "sweep": ("--only", "job=sweep"),
    "tfjob-ps": ("--only", "job=ranker"),
    "trainjob": ("--only", "job=llama"),
    "volcanojob": ("--only", "job=unet"),
}
"""Each folder, and what `render` is asked for in it."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "bucket": ("team-vision/persistentvolume", "team-vision/serviceaccount", "job-"),
    "mig": ("gpus/", "queues/", "job-", "argocd/platform/application-lab-operator-gpu-operator"),
    "mirror": ("operator-", "job-", "argocd/platform/application-lab-operator-"),
    "monitoring": ("monitoring/", "job-"),
    "openshift": ("team-vision/", "argocd/platform/application-lab-operator-"),
    "snapshots": ("team-vision/persistentvolumeclaim", "team-vision/snapshotschedule"),
}
"""Of cases that render whole clusters: how the files begin, below the cluster's folder, that the case is about."""


def test_every_folder_is_a_case() -> None:
    assert sorted(path.parent.name for path in HERE.glob("*/specs")) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_case_renders_to_the_expected_tree(name: str, tmp_path: Path, golden: Golden) -> None:
    shutil.copytree(HERE / name / "specs", tmp_path / "specs")
    project = Project(tmp_path)
    result = project.run("render", *CASES[name])
    assert (result.code, result.err) == (0, "")
    rendered = select_parts(name, project.read_tree("overlays", "rendered"))
    expected = HERE / name / "expected"
    if golden.update:
        shutil.rmtree(expected, ignore_errors=True)
        Project(expected).write(rendered)
    assert sorted(Project(expected).read_tree("overlays", "rendered")) == sorted(rendered)
    assert Project(expected).read_tree("overlays", "rendered") == rendered


def select_parts(name: str, files: Mapping[str, str]) -> dict[str, str]:
    """What the case is about; all of it unless PARTS says otherwise."""
    begins = tuple(f"rendered/lab/{part}" for part in PARTS.get(name, ()))
    return {path: text for path, text in files.items() if not begins or path.startswith(begins)}
