"""Which files of a folder are read, in which order."""

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import pytest

from trainshed.load.files import list_files
from trainshed.model.diagnostic import Findings

Spell = Callable[[Findings], list[str]]


SPECS = PurePosixPath("specs")
YAML = (".yaml", ".yml")


def plant(root: Path, *names: str) -> None:
    for name in names:
        path = root / "specs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_files_come_sorted_from_all_folders(tmp_path: Path) -> None:
    plant(tmp_path, "z.yaml", "b/c/d.yaml", "b.yaml", "a.yml", "b/a.yaml", "B.yaml", "empty/notes.txt")
    outcome = list_files(tmp_path, SPECS, YAML)
    assert outcome.findings == ()
    assert [str(path) for path in outcome.value or ()] == [
        "specs/B.yaml",
        "specs/a.yml",
        "specs/b/a.yaml",
        "specs/b/c/d.yaml",
        "specs/b.yaml",
        "specs/z.yaml",
    ]


def test_order_does_not_depend_on_the_listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, *(f"{name}.yaml" for name in "hgbfacde"))
    expected = list_files(tmp_path, SPECS, YAML)
    scan = os.scandir

    @contextmanager
    def scan_backwards(folder: int) -> Generator[Iterable[os.DirEntry[str]]]:
        with scan(folder) as entries:
            yield reversed(list(entries))

    monkeypatch.setattr(os, "scandir", scan_backwards)
    assert list_files(tmp_path, SPECS, YAML) == expected


def test_hidden_files_and_leftovers_are_passed_by(tmp_path: Path) -> None:
    plant(
        tmp_path,
        "a.yaml",
        ".b.yaml",
        ".git/c.yaml",
        "a.yaml~",
        "#a.yaml",
        "a.yaml.bak",
        "a.yaml.swp",
        "a.yaml.tmp",
    )
    os.symlink("nowhere", tmp_path / "specs" / ".#a.yaml")
    outcome = list_files(tmp_path, SPECS, ("",))
    assert (outcome.value, outcome.findings) == ((PurePosixPath("specs/a.yaml"),), ())


def test_links_pipes_and_strange_names_are_findings(tmp_path: Path, spell: Spell) -> None:
    plant(tmp_path, "a.yaml", "-x.yaml", "b\nc.yaml", "d\\e/f.yaml")
    os.symlink("/", tmp_path / "specs" / "all")
    os.symlink("a.yaml", tmp_path / "specs" / "link.yaml")
    os.mkfifo(tmp_path / "specs" / "pipe.yaml")
    os.mkfifo(tmp_path / "specs" / "pipe")
    (tmp_path / "specs" / "folder.yaml").mkdir()
    outcome = list_files(tmp_path, SPECS, YAML)
    assert outcome.value == (PurePosixPath("specs/a.yaml"),)
    assert spell(outcome.findings) == [
        '1:1+1 file-name: file name "specs/-x.yaml" begins with "-", like an option',
        '1:1+1 symlink: "specs/all" is a symbolic link',
        '1:1+1 file-name: file name "specs/b\\nc.yaml" holds characters that cannot be seen',
        '1:1+1 file-name: file name "specs/d\\e" holds a backslash',
        '1:1+1 symlink: "specs/link.yaml" is a symbolic link',
        '1:1+1 not-a-file: "specs/pipe.yaml" is a device, pipe or socket, not a file',
    ]


def test_folder_that_does_not_exist_is_a_finding(tmp_path: Path, spell: Spell) -> None:
    outcome = list_files(tmp_path, SPECS, YAML)
    assert outcome.value is None
    assert spell(outcome.findings) == ['1:1+1 unreadable-file: "specs" does not exist']


def test_linked_folder_is_not_entered(tmp_path: Path, spell: Spell) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "specs").symlink_to("real")
    outcome = list_files(tmp_path, SPECS, YAML)
    assert outcome.value is None
    assert spell(outcome.findings) == ['1:1+1 symlink: "specs" is a symbolic link']


def test_folder_outside_is_refused(tmp_path: Path, spell: Spell) -> None:
    outcome = list_files(tmp_path, PurePosixPath("../x"), YAML)
    assert (outcome.value, spell(outcome.findings)) == (
        None,
        ['1:1+1 path-escape: path "../x" leads elsewhere'],
    )


def test_very_deep_folders_are_listed(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 300)
    plant(tmp_path, f"{deep}/a.yaml")
    assert list_files(tmp_path, SPECS, YAML).value == (PurePosixPath(f"specs/{deep}/a.yaml"),)
