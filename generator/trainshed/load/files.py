"""Files of the repository as text. No link is followed, nothing that may block or is too large is read."""

import errno
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath

from trainshed.load.encoding import decode_text
from trainshed.load.file_names import check_path, is_ignored, name_source, spell
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.outcome import Outcome

SPEC_LIMIT_BYTES = 2**20
"""The size that a spec may have."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK_BYTES = 2**16

_CAUSES = {
    errno.ENOENT: "does not exist",
    errno.EACCES: "may not be read by this user",
    errno.EPERM: "may not be read by this user",
    errno.ENOTDIR: "stands below a file, not a folder",
    errno.ENAMETOOLONG: "has a name that is too long",
}


def read_text(root: Path, path: PurePosixPath, limit_bytes: int) -> Outcome[str]:
    """The text of the file at `path` below `root`, line ends as they are.

    Findings stand at the file's first line, or at the first byte that is no text.
    """
    refused = check_path(path)
    if refused:
        return Outcome(None, refused)
    try:
        with _open_folder(root, path.parent) as folder:
            content = _read_bytes(folder, path, limit_bytes)
    except OSError as cause:
        return Outcome(None, (_explain(cause, root, path),))
    if isinstance(content, Diagnostic):
        return Outcome(None, (content,))
    return decode_text(content, path)


def list_files(
    root: Path, folder: PurePosixPath, suffixes: Sequence[str]
) -> Outcome[tuple[PurePosixPath, ...]]:
    """The files with one of the suffixes in `folder` and below it, sorted.

    Links and strange names are findings; hidden files and what editors leave over are passed by.
    No value if `folder` itself cannot be read.
    """
    refused = check_path(folder)
    if refused:
        return Outcome(None, refused)
    files: list[PurePosixPath] = []
    findings: list[Diagnostic] = []
    folders = [folder]
    while folders:
        current = folders.pop()
        try:
            entries = _list_folder(root, current)
        except OSError as cause:
            findings.append(_explain(cause, root, current))
            if current == folder:
                return Outcome(None, tuple(findings))
            continue
        for name, mode in entries:
            path = current / name
            is_folder = stat.S_ISDIR(mode)
            if is_ignored(name) or not (is_folder or stat.S_ISLNK(mode) or name.endswith(tuple(suffixes))):
                continue
            refused = check_path(path) or _check_kind(path, mode, is_folder)
            findings.extend(refused)
            if not refused:
                (folders if is_folder else files).append(path)
    return Outcome(tuple(sorted(files)), sort_findings(findings))


def _list_folder(root: Path, folder: PurePosixPath) -> list[tuple[str, int]]:
    """Names in the folder, with the mode of what they name."""
    with _open_folder(root, folder) as opened, os.scandir(opened) as entries:
        return [(entry.name, entry.stat(follow_symlinks=False).st_mode) for entry in entries]


@contextmanager
def _open_folder(root: Path, folder: PurePosixPath) -> Generator[int]:
    """A descriptor of the folder, opened name by name, so that no name can be a link."""
    with ExitStack() as opened:
        current = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, current)
        for name in folder.parts:
            current = os.open(name, _FOLDER, dir_fd=current)
            opened.callback(os.close, current)
        yield current


def _read_bytes(folder: int, path: PurePosixPath, limit_bytes: int) -> bytes | Diagnostic:
    descriptor = os.open(path.name, _FILE, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        refused = _check_kind(path, status.st_mode, is_folder=False)
        if refused:
            return refused[0]
        if status.st_size > limit_bytes:
            return _too_large(path, limit_bytes)
        chunks: list[bytes] = []
        num_bytes = 0
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            chunks.append(chunk)
            num_bytes += len(chunk)
            if num_bytes > limit_bytes:
                return _too_large(path, limit_bytes)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def _check_kind(path: PurePosixPath, mode: int, is_folder: bool) -> tuple[Diagnostic, ...]:
    """A finding for a link, a device, a pipe, a socket, and for a folder where a file belongs."""
    if stat.S_ISLNK(mode):
        detail = "put the file itself here, or name the one that it points to"
        return (error(Code.SYMLINK, name_source(path), f'"{spell(path)}" is a symbolic link', detail),)
    if stat.S_ISREG(mode) or is_folder:
        return ()
    kind = "a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
    detail = "put a regular file here"
    return (error(Code.NOT_A_FILE, name_source(path), f'"{spell(path)}" is {kind}, not a file', detail),)


def _too_large(path: PurePosixPath, limit_bytes: int) -> Diagnostic:
    summary = f'"{spell(path)}" has more than {limit_bytes} bytes'
    detail = "make it smaller; large data belongs in a volume or an image"
    return error(Code.FILE_TOO_LARGE, name_source(path), summary, detail)


def _explain(cause: OSError, root: Path, path: PurePosixPath) -> Diagnostic:
    """Why `path` could not be opened: the first of its names that is a link, or what the system says."""
    for place in (*reversed(path.parents), path):
        try:
            mode = os.lstat(root / place).st_mode
        except OSError:
            break
        if place.parts and stat.S_ISLNK(mode):
            return _check_kind(place, mode, is_folder=False)[0]
    if cause.errno == errno.ENXIO:
        return _check_kind(path, stat.S_IFSOCK, is_folder=False)[0]
    words = _CAUSES.get(
        cause.errno or 0, f"cannot be read ({errno.errorcode.get(cause.errno or 0, 'unknown')})"
    )
    return error(
        Code.UNREADABLE_FILE, name_source(path), f'"{spell(path)}" {words}', "look at its name and rights"
    )
