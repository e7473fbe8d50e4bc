"""What a verdict is kept for: any byte, name or word that it depends on asks another question."""

import os
import shutil
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path, PurePosixPath

import pytest
from repositories import SMALL, Project, write_project

from trainshed.cache import fingerprint
from trainshed.cache.file_hashes import FileHashes
from trainshed.cache.fingerprint import take_fingerprint

FILES = {
    **SMALL,
    "specs/jobs/vision/train.py": "print()\n",
    "overlays/resnet/base/kustomization.yaml": "resources: []\n",
    "rendered/lab/resnet/pytorchjob-resnet.yaml": "kind: PyTorchJob\n",
    "schemas/kueue/v0.19.2/kueue.x-k8s.io/localqueue_v1beta1.json": "{}\n",
    ".trainshed/journal": "{}\n",
}


TOOL = {"__init__.py": "as it was\n", "bin/engine": "as it was\n", "kueue/v0.19.2/queue.json": "as it was\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path / "repository", FILES).path


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Project]:
    """The code of trainshed and of its engine, and the schemas that come with them: small, and nobody edits them."""
    made = {
        name: write_project(tmp_path / name, TOOL)
        for name in ("trainshed", "trainshed_engine", "shipped", "carried")
    }

    def find_spec(name: str) -> ModuleSpec:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(made[name].path)]
        return spec

    monkeypatch.setattr(fingerprint, "find_spec", find_spec)
    monkeypatch.setattr(fingerprint, "SHIPPED", (made["shipped"].path,))
    monkeypatch.setattr(fingerprint, "SHIPPED_RUNTIME", (made["carried"].path,))
    return made


def ask(root: Path, *words: str) -> str:
    found = hash_question(root, *words)
    assert found is not None
    return found


def hash_question(root: Path, *words: str) -> str | None:
    taken = take_fingerprint(root, FileHashes())
    return taken.hash_question(words) if taken and taken.files else None


@pytest.mark.parametrize("name", FILES)
def test_every_byte_of_every_file_that_is_read_counts(root: Path, name: str) -> None:
    before = ask(root)
    content = (root / name).read_bytes()
    for index in range(0, len(content), max(1, len(content) // 10)):
        (root / name).write_bytes(content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :])
        assert ask(root) != before, index
    (root / name).write_bytes(content)
    assert ask(root) == before


def test_what_was_read_of_generated_folders_is_left_and_nothing_else(root: Path) -> None:
    (root / "rendered/lab/empty").mkdir()
    taken = take_fingerprint(root, FileHashes())
    assert taken is not None
    generated = [name for name in FILES if name.split("/")[0] in ("overlays", "rendered")]
    assert taken.seen.files == {name: (root / name).read_bytes() for name in generated}
    above = {str(folder) for name in generated for folder in PurePosixPath(name).parents} - {"."}
    assert taken.seen.folders == above | {"rendered/lab/empty"}


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file more": lambda root: (root / "specs/teams/more.yaml").touch(),
    "a file less": lambda root: (root / "specs/teams/vision.yaml").unlink(),
    "a file elsewhere": lambda root: (root / "specs/teams/vision.yaml").rename(root / "specs/vision.yaml"),
    "another name": lambda root: (root / "rendered/lab/resnet").rename(root / "rendered/lab/resnets"),
    "an empty folder": lambda root: (root / "rendered/lab/empty").mkdir(),
    "a folder in place of a file": lambda root: (
        (root / "specs/jobs/vision/train.py").unlink(),
        (root / "specs/jobs/vision/train.py").mkdir(),
    ),
    "what Python leaves is no part of a repository": lambda root: (root / "rendered/__pycache__").mkdir(),
    "what a crash leaves": lambda root: (root / ".trainshed/stage").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_name_counts(root: Path, change: str) -> None:
    before = ask(root)
    CHANGES[change](root)
    assert ask(root) != before


def test_bytes_that_move_from_one_file_to_the_next_count(root: Path) -> None:
    write_project(root, {"specs/a": "one", "specs/b": "two"})
    before = ask(root)
    write_project(root, {"specs/a": "onet", "specs/b": "wo"})
    assert ask(root) != before


def test_the_words_of_the_command_count_and_their_order_does_not(root: Path) -> None:
    one, two = "job=resnet", "cluster=lab"
    assert len({ask(root), ask(root, one), ask(root, two), ask(root, one, two)}) == 4
    assert ask(root, one, two) == ask(root, two, one)


def test_neither_times_nor_the_place_nor_what_is_not_read_counts(root: Path, tmp_path: Path) -> None:
    before = ask(root)
    os.utime(root / "specs/teams/vision.yaml", (0, 0))
    (root / "README.md").write_text("not read")
    assert ask(root) == before
    shutil.copytree(root, tmp_path / "elsewhere")
    assert ask(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("name", ["specs/teams/link.yaml", "rendered/lab/link", "schemas/link"])
def test_a_link_is_no_question_that_can_be_answered_before(root: Path, name: str) -> None:
    (root / name).symlink_to(root / "specs/teams/vision.yaml")
    assert hash_question(root) is None


def test_neither_is_a_folder_behind_a_link_or_a_pipe(root: Path) -> None:
    os.mkfifo(root / "specs/pipe.yaml")
    assert hash_question(root) is None
    (root / "specs/pipe.yaml").unlink()
    (root / "specs").rename(root / "elsewhere")
    (root / "specs").symlink_to(root / "elsewhere")
    assert hash_question(root) is None


@pytest.mark.parametrize("part", ["trainshed", "trainshed_engine", "shipped", "carried"])
@pytest.mark.parametrize("name", TOOL)
def test_every_file_of_the_tool_counts(root: Path, homes: dict[str, Project], part: str, name: str) -> None:
    before = ask(root)
    homes[part].write({name: "as it is\n"})
    assert ask(root) != before


def test_what_python_leaves_beside_its_code_does_not_count(root: Path, homes: dict[str, Project]) -> None:
    before = ask(root)
    for part in ("trainshed", "carried"):
        homes[part].write({"__pycache__/new.pyc": "compiled"})
    assert ask(root) == before


def test_the_real_tool_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    places = [
        spec.submodule_search_locations
        for spec in map(fingerprint.find_spec, ("trainshed", "trainshed_engine"))
        if spec
    ]
    assert [Path(str(found and found[0])).name for found in places] == ["trainshed", "trainshed_engine"]
    assert any(home.is_dir() for home in fingerprint.SHIPPED)
    assert any((home / "run.py").is_file() for home in fingerprint.SHIPPED_RUNTIME)


def test_what_is_installed_beside_it_and_the_python_that_runs_it_count(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(root)
    site = write_project(
        tmp_path / "site", {"ruamel_yaml-9.dist-info/RECORD": "ruamel/yaml/main.py,sha256=x,1\n"}
    )
    monkeypatch.syspath_prepend(site.path)
    beside = ask(root)
    write_project(site.path, {"ruamel_yaml-9.dist-info/RECORD": "ruamel/yaml/main.py,sha256=y,1\n"})
    newer = ask(root)
    monkeypatch.setattr("sys.version", "3.99.0")
    assert len({before, beside, newer, ask(root)}) == 4
