"""Same specs, same bytes: whatever the hash seed, locale, time zone, folder, clock, or order of files."""

import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM, Project, write_project

MakeProject = Callable[[Mapping[str, str]], Project]
FILES: Mapping[str, str] = {
    **SMALL,
    "specs/clusters/annex.yaml": CLUSTER.replace("name: lab", "name: annex").replace("v0.19.2", "v0.14.0"),
    "specs/teams/vision.yaml": TEAM.replace(
        "  lab: {quota: {h100: 4, cpu: 4}}", "  annex: {quota: {h100: 2}}\n  lab: {quota: {h100: 2, cpu: 4}}"
    ),
    "specs/jobs/vision/vit.yaml": JOB.replace("resnet", "vit")
    + "framework: pytorch\nprocsPerNode: 8\nnodes: 2\ngpus: 8\nfabric: none\nclusters: [lab, annex]\n"
    + "env: {B: '2', A: '1'}\n",
    "specs/jobs/vision/tune.yaml": JOB.replace("resnet", "tune")
    + "framework: ray\nlabels: {b: '1', a: '2'}\n",
    "specs/jobs/vision/big.yaml": JOB.replace("resnet", "big")
    + "clusters: {lab: {}, annex: {memory: 4Gi}}\nqueue: none\nsecurity: {runAs: {user: 1000660000}}\n",
}
ENVIRONMENTS: Mapping[str, Mapping[str, str]] = {
    "seed": {"PYTHONHASHSEED": "0"},
    "another seed": {"PYTHONHASHSEED": "4242"},
    "time zone": {"TZ": "Asia/Kathmandu"},
    "C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "German": {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "terminal": {"COLUMNS": "40", "TERM": "xterm-256color"},
}


def render(project: Project, *arguments: str, env: Mapping[str, str] | None = None) -> dict[str, str]:
    result = project.run("render", *arguments, env=env)
    assert (result.code, result.err) == (0, ""), result
    return project.read_tree("overlays", "rendered")


def stamps(project: Project) -> dict[str, tuple[int, int]]:
    """Inode and time of each generated file: a file that is written anew has others."""
    return {
        path: ((project.path / path).stat().st_ino, (project.path / path).stat().st_mtime_ns)
        for path in project.read_tree("overlays", "rendered")
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    tree = render(write_project(tmp_path_factory.mktemp("expected"), FILES))
    assert len(tree) > 100
    return tree


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_environment_changes_no_byte(project: MakeProject, expected: dict[str, str], name: str) -> None:
    assert render(project(FILES), env=ENVIRONMENTS[name]) == expected


def test_the_working_directory_changes_no_byte(
    project: MakeProject, expected: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = project(FILES)
    elsewhere = Project(tmp_path_factory.mktemp("elsewhere"))
    for root in (str(written.path), os.path.relpath(written.path, elsewhere.path)):
        result = elsewhere.run("render", "--repository", root)
        assert (result.code, result.err) == (0, "")
        assert written.read_tree("overlays", "rendered") == expected
    assert list(elsewhere.path.iterdir()) == []


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_in_which_files_were_made_changes_no_byte(
    tmp_path: Path, expected: dict[str, str], seed: int
) -> None:
    shuffled = list(reversed(FILES.items()))
    if seed:
        random.Random(seed).shuffle(shuffled)
    assert render(write_project(tmp_path, dict(shuffled))) == expected


def test_the_names_of_the_spec_files_change_no_generated_byte(
    tmp_path: Path, expected: dict[str, str]
) -> None:
    renamed = {f"specs/{index}.yaml": text for index, text in enumerate(reversed(FILES.values()))}
    assert render(write_project(tmp_path, renamed)) == expected


def test_line_ends_and_comments_change_no_generated_byte(tmp_path: Path, expected: dict[str, str]) -> None:
    rewritten = {path: "# a note\n" + text.replace("\n", " # x\n\n") for path, text in FILES.items()}
    assert render(write_project(tmp_path, rewritten)) == expected


def test_a_second_render_touches_nothing_and_check_agrees(project: MakeProject) -> None:
    written = project(FILES)
    tree = render(written)
    before = stamps(written)
    again = written.run("render")
    assert again.code == 0
    assert again.out.splitlines()[-1] == f"nothing changed: {len(tree)} files are as the specs say"
    checked = written.run("check")
    assert (checked.code, checked.err) == (0, "")
    assert stamps(written) == before
    assert written.read_tree("overlays", "rendered") == tree


def test_check_writes_nothing(project: MakeProject) -> None:
    written = project(SMALL)
    assert written.run("check").code == 1
    assert sorted(path.name for path in written.path.iterdir()) == ["specs"]


def test_an_edited_job_changes_its_own_files_and_no_other(project: MakeProject) -> None:
    written = project(FILES)
    before, stamped = render(written), stamps(written)
    written.write({"specs/jobs/vision/tune.yaml": FILES["specs/jobs/vision/tune.yaml"] + "memory: 4Gi\n"})
    after = render(written)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert changed
    assert {path for path in changed if "/job-vision-tune/" not in path} == set()
    assert {path for path, stamp in stamps(written).items() if stamp != stamped.get(path)} <= changed


def test_a_new_job_adds_its_own_files_and_its_application(
    project: MakeProject, expected: dict[str, str]
) -> None:
    written = project({path: text for path, text in FILES.items() if not path.endswith("vit.yaml")})
    before = render(written)
    written.write(FILES)
    assert render(written) == expected
    added = {path for path in expected if path not in before}
    assert {path for path in before if before[path] != expected[path]} == set()
    assert {path for path in added if "job-vision-vit" not in path} == set()
    (written.path / "specs/jobs/vision/vit.yaml").unlink()
    assert render(written) == before
