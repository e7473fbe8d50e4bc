"""What stands below the generated folders now. Nothing here follows a symbolic link or writes."""

import os
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Findings, error
from trainshed.model.naming import GENERATED
from trainshed.model.snapshot import Snapshot
from trainshed.model.source import Source
from trainshed.report.refusal import explain_failure


@dataclass(frozen=True, slots=True)
class Tree:
    """Paths below the root, with slashes: every plain file and every folder of the generated folders."""

    files: Set[str]
    folders: Set[str]
    findings: Findings = ()

    @classmethod
    def of(cls, seen: Snapshot) -> "Tree":
        """What somebody has seen there."""
        return cls(seen.files.keys(), seen.folders)


def read_tree(root: Path, folders: tuple[str, ...] = GENERATED) -> Tree:
    """Lists the generated folders. Links, devices and folders that cannot be read become findings."""
    files: set[str] = set()
    seen_folders: set[str] = set()
    findings: list[Diagnostic] = []
    try:
        with os.scandir(root) as entries:
            waiting = [(entry.name, entry) for entry in entries if entry.name in folders]
    except OSError as failure:
        return Tree(frozenset(), frozenset(), (explain_failure(root, failure, Code.UNREADABLE_FILE),))
    while waiting:
        path, entry = waiting.pop()
        if entry.is_dir(follow_symlinks=False):
            seen_folders.add(path)
            try:
                waiting.extend(_list_folder(path, entry))
            except OSError as failure:
                findings.append(explain_failure(root, failure, Code.UNREADABLE_FILE))
        elif path in folders:
            findings.append(_refuse_entry(path, entry, Code.NOT_A_FOLDER))
        elif entry.is_file(follow_symlinks=False):
            files.add(path)
        else:
            findings.append(_refuse_entry(path, entry, Code.NOT_A_FILE))
    return Tree(frozenset(files), frozenset(seen_folders), tuple(findings))


def read_start(path: str | Path, num_bytes: int) -> bytes:
    """The first bytes of a file, never through a link. Raises OSError."""
    with open(path, "rb", opener=_open_plain) as file:
        return file.read(num_bytes)


def _open_plain(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _list_folder(path: str, folder: os.DirEntry[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            yield f"{path}/{entry.name}", entry


def _refuse_entry(path: str, entry: os.DirEntry[str], code: Code) -> Diagnostic:
    if entry.is_symlink():
        code, what = Code.SYMLINK, "is a symbolic link"
    elif code is Code.NOT_A_FOLDER:
        what = "is not a folder"
    else:
        what = "is neither a file nor a folder"
    return error(
        code,
        Source(PurePosixPath(path)),
        f"{path} {what}",
        "generated files are plain files in plain folders: remove it, then run `trainshed render`",
    )
