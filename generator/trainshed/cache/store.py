"""Answers of before, by question, in a database that only its user can look into."""

import hashlib
import os
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

SWITCH, OFF = "TRAINSHED_CACHE", "off"
LIMIT_BYTES = 2**30
"""The size that the database may have before the older half of it goes."""

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
"""The last one says that a statement makes no sense: then the table is not as we made it."""

_BEGIN = """
    PRAGMA synchronous = OFF;  -- a crash of the machine may damage the file, and that is found
    CREATE TABLE IF NOT EXISTS kept (question TEXT PRIMARY KEY, answer BLOB, seal BLOB);
"""
_READ = "SELECT question, answer, seal FROM kept WHERE question IN ({})"
_AT_ONCE = 500
_WRITE = "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)"
_OLDER_HALF = "DELETE FROM kept WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM kept)"


class Store:
    """A context manager around the database. What cannot be read is not known, and what is damaged is forgotten."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._database: sqlite3.Connection | None = None
        self._is_damaged = False

    @property
    def is_open(self) -> bool:
        """Whether anything can be known or kept."""
        return self._database is not None

    def __enter__(self) -> "Store":
        if self._file is not None:
            with self._try():
                self._database = _connect(self._file)
        self._forget_damaged()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._database is not None and self._file is not None:
            with self._try():
                if kind is not None:
                    self._database.rollback()
                self._database.commit()
                if self._file.stat().st_size > LIMIT_BYTES:
                    self._database.execute(_OLDER_HALF)
                    self._database.commit()
                    self._database.execute("VACUUM")
            self._database.close()
            self._database = None
        self._forget_damaged()

    @property
    def has_news(self) -> bool:
        """Whether anything was written in this block."""
        return self._database is not None and self._database.in_transaction

    def read(self, question: str) -> bytes | None:
        """The answer; None where there is none, or what is there is damaged."""
        return self.read_many([question]).get(question)

    def read_many(self, questions: Sequence[str]) -> dict[str, bytes]:
        """The answers that are there and whole, by question."""
        found: dict[str, bytes] = {}
        if self._database is not None:
            with self._try():
                for first in range(0, len(questions), _AT_ONCE):
                    part = questions[first : first + _AT_ONCE]
                    marks = ",".join("?" * len(part))
                    found |= {
                        question: answer
                        for question, answer, seal in self._database.execute(_READ.format(marks), part)
                        if isinstance(answer, bytes) and seal == _seal(question, answer)
                    }
        return found

    def write(self, question: str, answer: bytes) -> None:
        """Keep an answer from the end of the block on."""
        if self._database is not None:
            with self._try():
                self._database.execute(_WRITE, (question, answer, _seal(question, answer)))

    def forget(self) -> None:
        """Keep nothing of what was written in this block."""
        if self._database is not None:
            with self._try():
                self._database.rollback()

    @contextmanager
    def _try(self) -> Generator[None]:
        """Whatever fails in the block: the work goes on without the store."""
        try:
            yield
        except OSError:
            pass
        except sqlite3.Error as failure:
            self._note(failure)

    def _note(self, failure: sqlite3.Error) -> None:
        self._is_damaged |= getattr(failure, "sqlite_errorcode", None) in _DAMAGED

    def _forget_damaged(self) -> None:
        if self._is_damaged and self._file is not None:
            with suppress(OSError):
                self._file.unlink()


def open_store(root: Path, environment: Mapping[str, str]) -> Store:
    """The user's store, for what is asked about `root`: an empty one where it is switched off, or would be unsafe.

    It lies below `XDG_CACHE_HOME`, or `~/.cache` (specifications.freedesktop.org/basedir-spec), and never below `root`.
    """
    home = environment.get("XDG_CACHE_HOME", "")
    caches = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    folder = (caches / "trainshed" / "answers").resolve()
    is_safe = environment.get(SWITCH) != OFF and not folder.is_relative_to(root.resolve())
    return Store(folder / "answers.sqlite" if is_safe else None)


def _connect(file: Path) -> sqlite3.Connection:
    """The database. Raises OSError where others could have written it."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _require_private(file.parent)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600))
    _require_private(file)
    database = sqlite3.connect(file, timeout=1, check_same_thread=False)
    try:
        database.executescript(_BEGIN)
    except BaseException:
        database.close()
        raise
    return database


def _require_private(path: Path) -> None:
    """Raises PermissionError where anybody but its user can have written."""
    status = path.lstat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError(f"{path} is open to others")


def _seal(question: str, answer: bytes) -> bytes:
    """What tells an answer that is whole, and this question's."""
    return hashlib.sha256(question.encode() + answer).digest()
