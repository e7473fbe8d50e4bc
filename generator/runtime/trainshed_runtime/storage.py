"""Where checkpoints lie: a POSIX folder, or an object store, behind the same few questions."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import uuid
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")
_NO_HARD_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EOPNOTSUPP}


def is_name(text: object) -> bool:
    """Whether the text names something directly inside a folder, and nothing outside of it."""
    return isinstance(text, str) and bool(_NAME.fullmatch(text)) and text not in (".", "..")


class Storage(Protocol):
    """A tree of files. Paths are relative, with slashes. What is missing raises `FileNotFoundError`."""

    address: str

    def names(self, folder: str = "") -> list[str]:
        """What lies directly in the folder, sorted; nothing where there is no such folder."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """The file's bytes; a `ValueError` if there are more than `limit`."""
        ...

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """The file, for reading."""
        ...

    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes in bytes of the files directly in the folder; nothing where there is no such folder."""
        ...

    def write(self, path: str) -> AbstractContextManager[BinaryIO]:
        """A new file, in place of what was there; on the disk once the block is left without an exception."""
        ...

    def create(self, path: str, data: bytes) -> None:
        """A new file, whole; `FileExistsError` for all but one of those who create it at once."""
        ...

    def publish(self, path: str, data: bytes) -> None:
        """The file whole or not at all, for each reader and after each crash; all written before it is on the disk."""
        ...

    def remove(self, path: str) -> None:
        """Take the file or the folder away; nothing happens if there is none."""
        ...


class Folder:
    """A folder of a file system. It follows no symbolic link below itself: others may write there too."""

    def __init__(self, address: str | os.PathLike[str]) -> None:
        self.address = os.fspath(address)
        self._root = Path(address)

    def names(self, folder: str = "") -> list[str]:
        """What lies directly in the folder, but for symbolic links."""
        try:
            with os.scandir(self._root / folder) as entries:
                return sorted(entry.name for entry in entries if not entry.is_symlink())
        except (FileNotFoundError, NotADirectoryError):
            return []

    def read(self, path: str, limit: int) -> bytes:
        """The file's bytes."""
        with self.open(path) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise ValueError(f"{path} has more than {limit} bytes")
        return data

    def open(self, path: str) -> BinaryIO:
        """The file, for reading; only a regular one."""
        # Without O_NONBLOCK a pipe of that name would hold the run for ever.
        descriptor = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise FileNotFoundError(errno.ENOENT, "not a regular file", path)
        return os.fdopen(descriptor, "rb")

    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes in bytes of the regular files directly in the folder."""
        try:
            with os.scandir(self._root / folder) as entries:
                files = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
                return {entry.name: entry.stat(follow_symlinks=False).st_size for entry in files}
        except (FileNotFoundError, NotADirectoryError):
            return {}

    @contextmanager
    def write(self, path: str) -> Generator[BinaryIO]:
        """A new file, on the disk once the block is left without an exception."""
        target = self._root / path
        _make(target.parent)
        target.unlink(missing_ok=True)
        with target.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())

    def create(self, path: str, data: bytes) -> None:
        """A new file, whole, by a hard link: exclusive on network file systems too."""
        beside = self._beside(path, data)
        try:
            os.link(beside, self._root / path)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            self._create_in_place(path, data)
        finally:
            beside.unlink(missing_ok=True)
        _sync(beside.parent)

    def publish(self, path: str, data: bytes) -> None:
        """The file whole or not at all, by a rename."""
        beside = self._beside(path, data)
        _sync(beside.parent)
        try:
            os.replace(beside, self._root / path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        _sync(beside.parent)

    def remove(self, path: str) -> None:
        """Take the file or the folder away."""
        target = self._root / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target, ignore_errors=True)
        else:
            target.unlink(missing_ok=True)

    def _beside(self, path: str, data: bytes) -> Path:
        """A file of its own next to the path, on the disk, that is renamed or linked next."""
        target = self._root / path
        beside = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            with self.write(str(beside.relative_to(self._root))) as file:
                file.write(data)
        except OSError:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
        return beside

    def _create_in_place(self, path: str, data: bytes) -> None:
        with (self._root / path).open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _make(folder: Path) -> None:
    """Make the folder and those above it, and put their names on the disk."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Put the folder's names on the disk.

    Some network file systems refuse this and keep names safe themselves, and a folder above a mount may not be ours.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def open_storage(address: str) -> Storage:
    """The storage at a path or an address such as `s3://bucket/path`."""
    if address.startswith("file://"):
        return Folder(address.removeprefix("file://"))
    if "://" in address:
        from trainshed_runtime.bucket import Bucket

        return Bucket(address)
    return Folder(address)
