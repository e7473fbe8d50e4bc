"""What is committed: every generated file as it stands, an input of render like any spec."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

GENERATED = ("overlays", "rendered")


def read_committed(root: Path) -> dict[PurePosixPath, bytes]:
    """The bytes of every regular file below the generated folders. Links are report's to refuse, and not followed."""
    return {
        PurePosixPath(path): (root / path).read_bytes()
        for folder in GENERATED
        for path in _walk(root, folder)
    }


def _walk(root: Path, folder: str) -> Iterator[str]:
    start = root / folder
    if start.is_symlink() or not start.is_dir():
        return
    with os.scandir(start) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            path = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(root, path)
            elif entry.is_file(follow_symlinks=False):
                yield path
