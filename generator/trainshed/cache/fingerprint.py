"""Hashes over everything that an answer depends on: names and bytes, never times or sizes."""

import errno
import hashlib
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from trainshed.model.shipped import SHIPPED

READ = ("specs", "overlays", "rendered", "schemas", ".trainshed")
"""The folders of a repository that a command reads. In the last a crash leaves what the next command finishes."""

_LEFT_BY_PYTHON = "__pycache__"
_CHUNK_BYTES = 2**18
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def hash_input(root: Path, words: Iterable[str]) -> str | None:
    """The hash of all that a command depends on: what it reads below `root`, its own words, and trainshed itself.

    None where something cannot be read, or is neither a file nor a folder.
    """
    with suppress(OSError), ThreadPoolExecutor(1) as other:  # large files are hashed without Python's lock
        hashing = other.submit(hash_engine, root)
        words = [*sorted(words), _hash_program(), *(_hash_below(root, name) for name in READ)]
        engine = hashing.result()
        return engine and _hash_words(engine, *words)
    return None


def hash_engine(root: Path) -> str | None:
    """The hash of all that an answer of the engine depends on, beside the request; None where it cannot be read."""
    with suppress(OSError):
        schemas = (_hash_below(home.parent, home.name) for home in (*SHIPPED, root / "schemas"))
        return _hash_words(_hash_package("trainshed_engine"), *schemas)
    return None


def _hash_program() -> str:
    """The hash of trainshed's own code, of Python, and of the hashes that came with each installed package."""
    return _hash_words(sys.version, _hash_package("trainshed"), *map(_hash_file, _records()))


def _hash_package(name: str) -> str:
    spec = find_spec(name)
    folders = (spec and spec.submodule_search_locations) or ()
    return _hash_words(*(_hash_folder(folder, without=_LEFT_BY_PYTHON) for folder in folders))


def _records() -> Iterator[str]:
    """The list of files, with their hashes, of every package that Python finds (packaging.python.org, `RECORD`)."""
    for place in filter(os.path.isdir, sys.path):
        with os.scandir(place) as entries:
            records = [f"{entry.path}/RECORD" for entry in entries if entry.name.endswith(".dist-info")]
        yield from filter(os.path.isfile, sorted(records))


def _hash_below(folder: Path, name: str) -> str:
    """The hash of what one name in the folder stands for, if it is there."""
    with os.scandir(folder) as entries:
        return _hash_entries((entry for entry in entries if entry.name == name), without="")


def _hash_folder(folder: str, without: str) -> str:
    with os.scandir(folder) as entries:
        return _hash_entries(entries, without)


def _hash_entries(entries: Iterable["os.DirEntry[str]"], without: str) -> str:
    """The hash of names and what they name. Raises OSError for what is neither a file nor a folder."""
    words: list[str] = []
    for entry in sorted(entries, key=_name):
        if entry.is_file(follow_symlinks=False):
            words += ["file", entry.name, _hash_file(entry.path)]
        elif not entry.is_dir(follow_symlinks=False):
            raise OSError(errno.EINVAL, "neither a file nor a folder", entry.path)
        elif entry.name != without:
            words += ["folder", entry.name, _hash_folder(entry.path, without)]
    return _hash_words(*words)


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _hash_file(path: str) -> str:
    descriptor = os.open(path, _PLAIN)
    try:
        digest = hashlib.sha256(os.read(descriptor, _CHUNK_BYTES))
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            digest.update(chunk)
        return digest.hexdigest()
    finally:
        os.close(descriptor)


def _hash_words(*words: str) -> str:
    """The hash of a list of words; no word can hold the zero byte between them."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
