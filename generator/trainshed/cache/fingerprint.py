"""Hashes over everything that an answer depends on: names and bytes, never times or sizes."""

import errno
import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from trainshed.cache.file_hashes import FileHashes
from trainshed.model.naming import GENERATED
from trainshed.model.shipped import SHIPPED, SHIPPED_RUNTIME
from trainshed.model.snapshot import Snapshot

READ = ("specs", *GENERATED, "schemas", ".trainshed")
"""The folders of a repository that a command reads. In the last a crash leaves what the next command finishes."""

Hash: TypeAlias = Callable[[str], str]
"""From the path of a file to the hash of its bytes."""

_LEFT_BY_PYTHON = "__pycache__"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is known depends on: everything that renders and judges, and what is read below the root, by folder.

    `files` is None where something there cannot be read, or is neither a file nor a folder. `seen` holds what was read
    of generated files.
    """

    tools: str
    files: Mapping[str, str] | None
    seen: Snapshot

    def hash_question(self, words: Iterable[str]) -> str:
        """The hash of all that the verdict of a command depends on that is asked in these words."""
        return _hash_words(self.tools, *(self.files or {}).values(), *sorted(words))


def take_fingerprint(root: Path, hashes: FileHashes, folders: Iterable[str] = READ) -> Fingerprint | None:
    """As things are now; None where that cannot be said of the tools."""
    with suppress(OSError), ThreadPoolExecutor(1) as other:  # large files are hashed without Python's lock
        hashing = other.submit(_hash_engine, root, hashes.hash)
        reader = _Reader(root, hashes)
        program, files = _hash_program(hashes.hash), reader.hash_folders(folders)
        return Fingerprint(_hash_words(hashing.result(), program), files, reader.seen)
    return None


class _Reader:
    """Hashes folders below the root, and keeps what it reads of those that are generated."""

    def __init__(self, root: Path, hashes: FileHashes) -> None:
        self._root = root
        self._hashes = hashes
        self._files: dict[str, bytes] = {}
        self._folders: set[str] = set()

    def hash_folders(self, names: Iterable[str]) -> dict[str, str] | None:
        """The hash of each of them; None where there is none."""
        with suppress(OSError):
            return {name: self._hash(name) for name in names}
        return None

    def _hash(self, name: str) -> str:
        if name not in GENERATED:
            return _hash_below(self._root, name, self._hashes.hash)
        keep = partial(self._hashes.hash, seen=self._files)
        found = _hash_below(self._root, name, keep, self._folders)
        if os.path.join(self._root, name) in self._files:
            raise NotADirectoryError(name)
        return found

    @property
    def seen(self) -> Snapshot:
        """What was read of generated folders."""
        above = os.path.join(self._root, "")
        files = {path.removeprefix(above): content for path, content in self._files.items()}
        return Snapshot(files, frozenset(path.removeprefix(above) for path in self._folders))


def _hash_engine(root: Path, hash_file: Hash) -> str:
    """The hash of the engine, and of the schemas that it reads."""
    schemas = (_hash_below(home.parent, home.name, hash_file) for home in (*SHIPPED, root / "schemas"))
    return _hash_words(_hash_package("trainshed_engine", hash_file), *schemas)


def _hash_program(hash_file: Hash) -> str:
    """The hash of trainshed's own code, of what runs carry of it, of Python, and of each installed package's hashes."""
    carried = (
        _hash_folder(str(home), hash_file, without=_LEFT_BY_PYTHON)
        for home in SHIPPED_RUNTIME
        if home.is_dir()
    )
    return _hash_words(
        sys.version, _hash_package("trainshed", hash_file), *carried, *map(hash_file, _records())
    )


def _hash_package(name: str, hash_file: Hash) -> str:
    spec = find_spec(name)
    folders = (spec and spec.submodule_search_locations) or ()
    return _hash_words(*(_hash_folder(folder, hash_file, without=_LEFT_BY_PYTHON) for folder in folders))


def _records() -> Iterator[str]:
    """The list of files, with their hashes, of every package that Python finds (packaging.python.org, `RECORD`)."""
    for place in filter(os.path.isdir, sys.path):
        with os.scandir(place) as entries:
            records = [f"{entry.path}/RECORD" for entry in entries if entry.name.endswith(".dist-info")]
        yield from filter(os.path.isfile, sorted(records))


def _hash_below(folder: Path, name: str, hash_file: Hash, seen: set[str] | None = None) -> str:
    """The hash of what one name in the folder stands for, if it is there."""
    with os.scandir(folder) as entries:
        return _hash_entries((entry for entry in entries if entry.name == name), hash_file, "", seen)


def _hash_folder(folder: str, hash_file: Hash, without: str, seen: set[str] | None = None) -> str:
    with os.scandir(folder) as entries:
        return _hash_entries(entries, hash_file, without, seen)


def _hash_entries(
    entries: Iterable["os.DirEntry[str]"], hash_file: Hash, without: str, seen: set[str] | None
) -> str:
    """The hash of names and what they name; folders are left in `seen`.

    Raises OSError for what is neither a file nor a folder.
    """
    words: list[str] = []
    for entry in sorted(entries, key=_name):
        if entry.is_file(follow_symlinks=False):
            words += ["file", entry.name, hash_file(entry.path)]
        elif not entry.is_dir(follow_symlinks=False):
            raise OSError(errno.EINVAL, "neither a file nor a folder", entry.path)
        elif entry.name != without:
            words += ["folder", entry.name, _hash_folder(entry.path, hash_file, without, seen)]
            if seen is not None:
                seen.add(entry.path)
    return _hash_words(*words)


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _hash_words(*words: str) -> str:
    """The hash of a list of words; no word can hold the zero byte between them."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
