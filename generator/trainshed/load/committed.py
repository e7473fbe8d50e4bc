"""What is committed: every generated file as it stands, an input of render like any spec."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from trainshed.model.naming import GENERATED
from trainshed.model.snapshot import Snapshot


def read_committed(root: Path, seen: Snapshot | None = None) -> dict[PurePosixPath, bytes]:
    """The bytes of every regular file below the generated folders. Links are report's to refuse, and not followed.

    Nothing is read where somebody has `seen` them already.
    """
    if seen is not None:
        return {PurePosixPath(path): content for path, content in seen.files.items()}
    plain = (root / folder for folder in GENERATED if not (root / folder).is_symlink())
    folders = [folder.name for folder in plain if folder.is_dir()]
    paths = (path for folder in folders for path in _walk(root, folder))
    return {PurePosixPath(path): _read(f"{root}/{path}") for path in paths}


def _walk(root: Path, folder: str) -> Iterator[str]:
    with os.scandir(f"{root}/{folder}") as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            path = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(root, path)
            elif entry.is_file(follow_symlinks=False):
                yield path


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()
