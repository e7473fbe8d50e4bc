"""Hashes over everything that an answer depends on: names and bytes, never times or sizes."""

import errno
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from trainshed.cache.file_hashes import FileHashes
from trainshed.model.shipped import SHIPPED, SHIPPED_RUNTIME

READ = ("specs", "overlays", "rendered", "schemas", ".trainshed")
"""The folders of a repository that a command reads. In the last a crash leaves what the next command finishes."""

_LEFT_BY_PYTHON = "__pycache__"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is known depends on: everything that renders and judges, and what is read below the root.

    `files` is None where something there cannot be read, or is neither a file nor a folder.
    """

    tools: str
    files: str | None

    def hash_question(self, words: Iterable[str]) -> str:
        """The hash of all that the verdict of a command depends on that is asked in these words."""
        return _hash_words(self.tools, self.files or "", *sorted(words))


def take_fingerprint(root: Path, hashes: FileHashes) -> Fingerprint | None:
    """As things are now; None where that cannot be said of the tools."""
    with suppress(OSError), ThreadPoolExecutor(1) as other:  # large files are hashed without Python's lock
        hashing = other.submit(_hash_engine, root, hashes)
        program, files = _hash_program(hashes), _hash_files(root, hashes)
        return Fingerprint(_hash_words(hashing.result(), program), files)
    return None


def _hash_files(root: Path, hashes: FileHashes) -> str | None:
    with suppress(OSError):
        return _hash_words(*(_hash_below(root, name, hashes) for name in READ))
    return None


def _hash_engine(root: Path, hashes: FileHashes) -> str:
    """The hash of the engine, and of the schemas that it reads."""
    schemas = (_hash_below(home.parent, home.name, hashes) for home in (*SHIPPED, root / "schemas"))
    return _hash_words(_hash_package("trainshed_engine", hashes), *schemas)


def _hash_program(hashes: FileHashes) -> str:
    """The hash of trainshed's own code, of what runs carry of it, of Python, and of each installed package's hashes."""
    carried = (
        _hash_folder(str(home), hashes, without=_LEFT_BY_PYTHON) for home in SHIPPED_RUNTIME if home.is_dir()
    )
    return _hash_words(
        sys.version, _hash_package("trainshed", hashes), *carried, *map(hashes.hash, _records())
    )


def _hash_package(name: str, hashes: FileHashes) -> str:
    spec = find_spec(name)
    folders = (spec and spec.submodule_search_locations) or ()
    return _hash_words(*(_hash_folder(folder, hashes, without=_LEFT_BY_PYTHON) for folder in folders))


def _records() -> Iterator[str]:
    """The list of files, with their hashes, of every package that Python finds (packaging.python.org, `RECORD`)."""
    for place in filter(os.path.isdir, sys.path):
        with os.scandir(place) as entries:
            records = [f"{entry.path}/RECORD" for entry in entries if entry.name.endswith(".dist-info")]
        yield from filter(os.path.isfile, sorted(records))


def _hash_below(folder: Path, name: str, hashes: FileHashes) -> str:
    """The hash of what one name in the folder stands for, if it is there."""
    with os.scandir(folder) as entries:
        return _hash_entries((entry for entry in entries if entry.name == name), hashes, without="")


def _hash_folder(folder: str, hashes: FileHashes, without: str) -> str:
    with os.scandir(folder) as entries:
        return _hash_entries(entries, hashes, without)


def _hash_entries(entries: Iterable["os.DirEntry[str]"], hashes: FileHashes, without: str) -> str:
    """The hash of names and what they name. Raises OSError for what is neither a file nor a folder."""
    words: list[str] = []
    for entry in sorted(entries, key=_name):
        if entry.is_file(follow_symlinks=False):
            words += ["file", entry.name, hashes.hash(entry.path)]
        elif not entry.is_dir(follow_symlinks=False):
            raise OSError(errno.EINVAL, "neither a file nor a folder", entry.path)
        elif entry.name != without:
            words += ["folder", entry.name, _hash_folder(entry.path, hashes, without)]
    return _hash_words(*words)


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _hash_words(*words: str) -> str:
    """The hash of a list of words; no word can hold the zero byte between them."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
