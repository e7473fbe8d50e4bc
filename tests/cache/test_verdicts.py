"""A verdict of before is the verdict of now: with it or without it, a command says the same."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from repositories import CLUSTER, JOB, SMALL, TEAM, Project, write_project

from trainshed.cli import street
from trainshed.cli.main import cli
from trainshed.model.outcome import Outcome

CHANGES: dict[str, dict[str, str]] = {
    "a job's image": {"specs/jobs/vision/resnet.yaml": JOB.replace("train:1.0", "train:1.1")},
    "a job more": {"specs/jobs/vision/vit.yaml": JOB.replace("resnet", "vit")},
    "a job that its queue never admits": {"specs/jobs/vision/resnet.yaml": JOB + "nodes: 9\ngpus: 8\n"},
    "an object that is refused": {
        "specs/jobs/vision/resnet.yaml": JOB
        + "patches: [{target: {kind: PyTorchJob}, patch: [{op: add, path: /spec/nproc, value: 1}]}]\n"
    },
    "a word that is none": {"specs/jobs/vision/resnet.yaml": JOB + "gpu: 8\n"},
    "a spec that is none": {"specs/jobs/vision/resnet.yaml": JOB + "] {\n"},
    "a quota": {"specs/teams/vision.yaml": TEAM.replace("h100: 4", "h100: 2")},
    "a release": {"specs/clusters/lab.yaml": CLUSTER.replace("kueue: v0.19.2", "kueue: v0.14.0")},
    "a rendered file": {"rendered/lab/team-vision/namespace-vision.yaml": "kind: Namespace\n"},
    "a file of nobody": {"overlays/more/base/kustomization.yaml": "resources: []\n"},
    "schemas of its own": {"schemas/kubernetes/v1.36.9/core/namespace_v1.json": '{"type": "string"}'},
}


class Said(NamedTuple):
    """What a command said, and the code that it left with."""

    code: int
    words: str


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.delenv("TRAINSHED_CACHE")
    return tmp_path / "caches"


@pytest.fixture
def rendered(tmp_path: Path, caches: Path) -> Project:
    made = write_project(tmp_path / "repository", SMALL)
    assert run(made, "render").code == 0
    return made


def run(project: Project, *words: str, env: dict[str, str] | None = None) -> Said:
    command, *options = words
    done = CliRunner(env=env).invoke(cli, [command, "-C", str(project.path), *options], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return Said(done.return_value, done.output)


def run_anew(project: Project, *words: str) -> Said:
    return run(project, *words, env={"TRAINSHED_CACHE": "off"})


def forbid_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object, **__: object) -> None:
        pytest.fail("the street was walked")

    monkeypatch.setattr(street, "compare_specs", work)


def count_asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of all objects that the engine is asked to judge from now on."""
    asked: list[str] = []
    call_many = street.EnginePool.call_many

    def listen(self: street.EnginePool, verb: str, bodies: list[Any]) -> list[Any]:
        if verb == "judge":
            asked.extend(one["object"]["kind"] for body in bodies for one in body["objects"])
        return call_many(self, verb, bodies)

    monkeypatch.setattr(street.EnginePool, "call_many", listen)
    return asked


def test_what_was_checked_and_has_not_changed_is_said_again(
    rendered: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(rendered, "check")
    assert first.code == 0
    forbid_work(monkeypatch)
    assert run(rendered, "check") == first
    num_files = len(rendered.read_tree("overlays", "rendered"))
    assert run(rendered, "render").words == f"nothing changed: {num_files} files are as the specs say\n"


def test_other_words_are_another_question(rendered: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, part = run(rendered, "check"), run(rendered, "check", "--only", "job=resnet")
    assert whole.words != part.words
    forbid_work(monkeypatch)
    assert run(rendered, "check") == whole
    assert run(rendered, "check", "--only", "job=resnet") == part


def test_a_change_since_a_base_is_judged_anew(rendered: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run(rendered, "check")
    forbid_work(monkeypatch)
    with pytest.raises(pytest.fail.Exception, match="the street was walked"):
        run(rendered, "check", "--base", "main")


def test_errors_are_found_anew(rendered: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered.write(CHANGES["a rendered file"])
    assert run(rendered, "check").code == 1
    forbid_work(monkeypatch)
    with pytest.raises(pytest.fail.Exception, match="the street was walked"):
        run(rendered, "check")


def test_nothing_is_kept_when_a_file_changes_while_it_is_checked(
    rendered: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare, before = street.compare_specs, rendered.read_tree("specs")

    def compare_and_edit(*arguments: Any, **named: Any) -> Any:
        compared = compare(*arguments, **named)
        rendered.write({"specs/jobs/vision/resnet.yaml": JOB + "# seen by nobody\n"})
        return compared

    monkeypatch.setattr(street, "compare_specs", compare_and_edit)
    assert run(rendered, "check").code == 0
    forbid_work(monkeypatch)
    for files in (rendered.read_tree("specs"), before):
        rendered.write(files)
        with pytest.raises(pytest.fail.Exception, match="the street was walked"):
            run(rendered, "check")


def test_generated_files_that_change_meanwhile_are_judged_as_they_were(
    rendered: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare, before = street.compare_specs, rendered.read_tree("overlays", "rendered")
    edits = {min(before): "edited\n"} | CHANGES["a file of nobody"]

    def edit_and_compare(*arguments: Any, **named: Any) -> Any:
        rendered.write(edits)
        (rendered.path / max(before)).unlink()
        return compare(*arguments, **named)

    monkeypatch.setattr(street, "compare_specs", edit_and_compare)
    whole = run(rendered, "check")
    assert whole.code == 0
    monkeypatch.setattr(street, "compare_specs", compare)
    assert run(rendered, "check").words.count(": error[") == 3
    rendered.write(before)
    shutil.rmtree(rendered.path / "overlays/more")
    forbid_work(monkeypatch)
    assert run(rendered, "check") == whole


def test_what_a_crash_left_is_finished_before_anything_is_read(
    rendered: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def finish(_: Path) -> Outcome[bool]:
        rendered.write(CHANGES["a rendered file"])
        return Outcome(True)

    monkeypatch.setattr("trainshed.pipeline.recover", finish)
    assert run(rendered, "check").words.count(": error[") == 1


def test_a_file_in_place_of_a_generated_folder_is_said(rendered: Project) -> None:
    shutil.rmtree(rendered.path / "overlays")
    rendered.write({"overlays": "a file\n"})
    said = run(rendered, "check")
    assert said == run_anew(rendered, "check")
    assert "error[not-a-folder]: overlays is not a folder" in said.words


def test_the_engine_judges_only_what_is_new(rendered: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = count_asked(monkeypatch)
    rendered.write(CHANGES["a job's image"])
    assert run(rendered, "render").code == 0
    assert {*asked} == {"Job"}
    asked.clear()
    assert run_anew(rendered, "check").code == 0
    assert {"ClusterQueue", "Namespace", "Job"} <= {*asked}


def test_what_was_just_rendered_is_checked_without_the_engine(
    rendered: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered.write(CHANGES["a job's image"])
    assert run(rendered, "render").code == 0

    def start(*_: object) -> None:
        pytest.fail("the engine was asked")

    monkeypatch.setattr(street.EnginePool, "call_many", start)
    assert run(rendered, "check").code == 0


def test_no_answer_is_kept_when_a_schema_changes_while_it_is_given(
    rendered: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered.write(CHANGES["a job's image"])
    compare, schema = street.compare_specs, "schemas/kubernetes/v1.36.9/core/secret_v1.json"

    def compare_and_edit(*arguments: Any, **named: Any) -> Any:
        compared = compare(*arguments, **named)
        rendered.write({schema: "{}"})
        return compared

    monkeypatch.setattr(street, "compare_specs", compare_and_edit)
    run(rendered, "check")
    monkeypatch.setattr(street, "compare_specs", compare)
    shutil.rmtree(rendered.path / "schemas")
    asked = count_asked(monkeypatch)
    run(rendered, "check")
    assert {*asked} == {"Job"}


@pytest.mark.parametrize("change", CHANGES)
def test_with_what_is_kept_and_without_it_everything_is_the_same(
    rendered: Project, tmp_path: Path, change: str
) -> None:
    run(rendered, "check")
    rendered.write(CHANGES[change])
    assert run(rendered, "check") == run_anew(rendered, "check")
    twin = Project(shutil.copytree(rendered.path, tmp_path / "twin"))
    assert run(rendered, "render") == run_anew(twin, "render")
    assert rendered.read_tree("overlays", "rendered") == twin.read_tree("overlays", "rendered")
    told = run(rendered, "check")
    assert told == run(rendered, "check") == run_anew(rendered, "check")
