"""The folder `.trainshed` and the lock in it: one writer at a time for one checkout."""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import error
from trainshed.model.source import Source
from trainshed.report.refusal import RefusedError

WORKSHOP = ".trainshed"
PATIENCE_SECONDS = 20.0
_POLL_SECONDS = 0.05


def has_folder(root: Path, name: str) -> bool:
    """Whether a plain folder stands there. Raises RefusedError for a link or anything else."""
    try:
        mode = os.lstat(root / name).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        return True
    code, what = (
        (Code.SYMLINK, "a symbolic link") if stat.S_ISLNK(mode) else (Code.NOT_A_FOLDER, "not a folder")
    )
    raise RefusedError(
        error(code, Source(PurePosixPath(name)), f"{name} is {what}", "remove it, then run the command again")
    )


def open_workshop(root: Path) -> Path:
    """Makes `.trainshed`, which Git ignores by a file of its own. Raises RefusedError, OSError."""
    workshop = root / WORKSHOP
    if not has_folder(root, WORKSHOP):
        os.mkdir(workshop, 0o755)
    ignore = workshop / ".gitignore"
    if not os.path.lexists(ignore):
        ignore.write_text("*\n", encoding="ascii")
    return workshop


@contextmanager
def hold_lock(workshop: Path, patience_seconds: float = PATIENCE_SECONDS) -> Generator[None, None, None]:
    """Waits for the lock, and gives up with a RefusedError. The system drops it when the process ends."""
    lock = os.open(workshop / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        _wait_for(lock, time.monotonic() + patience_seconds)
        yield
    finally:
        os.close(lock)


def _wait_for(lock: int, deadline: float) -> None:
    while not _try_lock(lock):
        if time.monotonic() >= deadline:
            raise RefusedError(
                error(
                    Code.TREE_LOCKED,
                    Source(PurePosixPath(WORKSHOP, "lock")),
                    "another trainshed command is writing the generated files",
                    "wait until it has ended, then run the command again; nothing was written",
                )
            )
        time.sleep(_POLL_SECONDS)


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as failure:
        if failure.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True
