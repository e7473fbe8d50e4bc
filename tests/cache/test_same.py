"""With what is kept and without it, with what is committed and without it: the same words and the same bytes."""

import random
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from repositories import CLUSTER, JOB, TEAM, Project, write_project

from trainshed.cli.main import cli

RESNET, VIT, TUNED = (f"specs/jobs/vision/{name}.yaml" for name in ("resnet", "vit", "tuned"))
TRAINED = JOB.replace("command: [python, -m, train]", "script: train.py")
PRESET = """\
apiVersion: trainshed/v1
kind: Preset
name: small
job: {gpus: 1}
"""
POLICY = """\
apiVersion: trainshed/v1
kind: Policy
name: named
kinds: [Job]
expression: "object.metadata.name != 'nobody'"
message: name it
"""
FILES = {
    "specs/clusters/lab.yaml": CLUSTER,
    "specs/teams/vision.yaml": TEAM,
    "specs/presets/small.yaml": PRESET,
    "specs/policies/named.yaml": POLICY,
    RESNET: JOB,
    VIT: TRAINED.replace("resnet", "vit"),
    TUNED: JOB.replace("resnet", "tuned") + "extends: [small]\nframework: pytorch\nnodes: 2\n",
    "specs/jobs/vision/train.py": "print('hello')\n",
}
"""Three jobs: one of code that lies beside it, one upon a preset, in a queue and of two nodes."""

EDITS: dict[str, dict[str, str]] = {
    "a job": {RESNET: JOB.replace("train:1.0", "train:1.1")},
    "a job, a line further down": {RESNET: JOB.replace("name: resnet", "# resnet\nname: resnet")},
    "a job more": {"specs/jobs/vision/swin.yaml": JOB.replace("resnet", "swin")},
    "a job with a word that is none": {RESNET: JOB + "gpu: 8\n"},
    "a job that no queue admits": {TUNED: FILES[TUNED].replace("nodes: 2", "nodes: 9\ngpus: 8")},
    "a job by the name of another": {"specs/jobs/vision/again.yaml": JOB},
    "a preset": {"specs/presets/small.yaml": PRESET.replace("gpus: 1", "gpus: 2")},
    "a default of the team": {
        "specs/teams/vision.yaml": TEAM.replace("{clusters: [lab]}", "{clusters: [lab], env: {LEVEL: info}}")
    },
    "a quota": {"specs/teams/vision.yaml": TEAM.replace("h100: 4", "h100: 1")},
    "a volume less": {"specs/teams/vision.yaml": TEAM.replace("  data: {storage: shared, size: 1Ti}\n", "")},
    "a cluster": {"specs/clusters/lab.yaml": CLUSTER.replace("nodes: 4, labels: {pool: h100}", "nodes: 8")},
    "a release": {"specs/clusters/lab.yaml": CLUSTER.replace("kueue: v0.19.2", "kueue: v0.14.0")},
    "a policy": {"specs/policies/named.yaml": POLICY.replace("'nobody'", "'vit'")},
    "a policy that breaks": {"specs/policies/named.yaml": POLICY.replace("!= 'nobody'", "== 'nobody'")},
    "code": {"specs/jobs/vision/train.py": "print('hello again')\n"},
    "schemas": {"schemas/kubernetes/v1.36.9/core/namespace_v1.json": '{"type": "string"}'},
}
"""What people do to specs; each stands for itself."""

DAMAGES = ("a seal", "a seal gone", "a sealed file", "a rendered file", "a file of nobody")
"""What people do to what is committed."""


class Said(NamedTuple):
    code: int
    words: str


def run(project: Project, command: str, *, anew: bool = False) -> Said:
    """What a command says; `anew` without anything that was kept."""
    env = {"TRAINSHED_CACHE": "off"} if anew else {}
    done = CliRunner(env=env).invoke(cli, [command, "-C", str(project.path)], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return Said(done.return_value, done.output)


def damage(project: Project, how: str) -> None:
    """Do it to the first file that fits."""
    (seal, *_) = sorted(project.path.glob("overlays/*/lab/seals/*.json"))
    (sealed, *_) = sorted(project.path.glob("rendered/lab/job-*/job-*.yaml"))
    match how:
        case "a seal":
            seal.write_text(seal.read_text().replace('"attempt": 1', '"attempt": 2'))
        case "a seal gone":
            seal.unlink()
        case "a sealed file":
            sealed.write_text(sealed.read_text().replace("train:1.0", "train:6.6"))
        case "a rendered file":
            project.write({"rendered/lab/team-vision/namespace-vision.yaml": "kind: Namespace\n"})
        case _:
            project.write({"overlays/nobody/base/kustomization.yaml": "resources: []\n"})


def compare(project: Project, twin: Project) -> None:
    """Both checked, rendered and checked; the twin as if nothing had ever been kept."""
    for command in ("check", "render", "check"):
        assert run(project, command) == run(twin, command, anew=True), command
        assert project.read_tree("overlays", "rendered") == twin.read_tree("overlays", "rendered"), command


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.delenv("TRAINSHED_CACHE", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A repository that was rendered and checked, so that everything about it is known."""
    made = write_project(tmp_path / "repository", FILES)
    assert [run(made, command).code for command in ("render", "check")] == [0, 0]
    return made


@pytest.fixture
def twin(project: Project, tmp_path: Path) -> Project:
    return Project(Path(shutil.copytree(project.path, tmp_path / "twin")))


@pytest.mark.parametrize("edit", EDITS)
def test_after_an_edit_of_the_specs(project: Project, twin: Project, edit: str) -> None:
    for each in (project, twin):
        each.write(EDITS[edit])
    compare(project, twin)


@pytest.mark.parametrize("how", DAMAGES)
def test_after_an_edit_of_what_is_committed(project: Project, twin: Project, how: str) -> None:
    for each in (project, twin):
        damage(each, how)
    compare(project, twin)


@pytest.mark.parametrize("edit", ["a job", "a default of the team", "code"])
def test_without_what_is_committed(project: Project, twin: Project, edit: str) -> None:
    for each in (project, twin):
        each.write(EDITS[edit])
        for folder in ("overlays", "rendered"):
            shutil.rmtree(each.path / folder)
    compare(project, twin)


@pytest.mark.parametrize("seed", range(3))
def test_after_edits_in_any_order_some_taken_back(project: Project, twin: Project, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(4):
        steps = [*(EDITS[name] for name in chance.sample(sorted(EDITS), 2)), chance.choice([FILES, {}])]
        how = chance.choice([*DAMAGES, None])
        for each in (project, twin):
            for files in steps:
                each.write(files)
            if how is not None and list(each.path.glob("rendered/lab/job-*/job-*.yaml")):
                damage(each, how)
        compare(project, twin)
