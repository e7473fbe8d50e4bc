"""A file is read again exactly when it may be another now."""

import os
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from trainshed.cache import file_hashes
from trainshed.cache.file_hashes import SETTLED_NS, FileHashes


def rewrite(file: Path) -> None:
    file.write_bytes(b"two")


def rewrite_and_put_its_time_back(file: Path) -> None:
    status = file.stat()
    file.write_bytes(b"two")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def put_another_in_its_place(file: Path) -> None:
    file.with_suffix(".new").write_bytes(b"two")
    file.with_suffix(".new").rename(file)


def read_nothing(_descriptor: int, _size: int) -> bytes:
    return b""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that has stood still for long, by a clock that is ahead of the file system's."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 2 * SETTLED_NS)
    made = tmp_path / "file"
    made.write_bytes(b"one")
    return made


@pytest.mark.parametrize("edit", [rewrite, rewrite_and_put_its_time_back, put_another_in_its_place])
def test_an_edit_of_the_same_size_is_noticed(file: Path, edit: Callable[[Path], None]) -> None:
    hashes = FileHashes()
    assert hashes.hash(str(file)) == sha256(b"one").hexdigest()
    time.sleep(0.02)  # the clock of a file system stands still for up to 10 ms: SETTLED_NS is there for that
    edit(file)
    assert hashes.hash(str(file)) == sha256(b"two").hexdigest()


def test_a_file_that_stood_still_is_read_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = FileHashes()
    hashes.hash(str(file))
    monkeypatch.setattr(os, "read", read_nothing)
    assert hashes.hash(str(file)) == sha256(b"one").hexdigest()


def test_a_file_that_was_just_written_is_read_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = tmp_path / "file"
    fresh.write_bytes(b"one")
    hashes = FileHashes()
    hashes.hash(str(fresh))
    monkeypatch.setattr(os, "read", read_nothing)
    assert hashes.hash(str(fresh)) == sha256(b"").hexdigest()


def test_a_link_in_place_of_a_file_is_refused(file: Path) -> None:
    hashes = FileHashes()
    hashes.hash(str(file))
    file.rename(file.with_suffix(".old"))
    file.symlink_to(file.with_suffix(".old"))
    with pytest.raises(OSError, match="symbolic links"):
        hashes.hash(str(file))


@pytest.mark.parametrize("chunk_bytes", [1, 2, 3, 4, 100])
def test_what_is_read_is_left_whole(file: Path, monkeypatch: pytest.MonkeyPatch, chunk_bytes: int) -> None:
    monkeypatch.setattr(file_hashes, "_CHUNK_BYTES", chunk_bytes)
    seen: dict[str, bytes] = {}
    assert FileHashes().hash(str(file), seen) == sha256(b"one").hexdigest()
    assert seen == {str(file): b"one"}
