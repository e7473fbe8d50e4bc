"""Answers of before, by question, in a database that only its user can look into."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

SWITCH, OFF = "TRAINSHED_CACHE", "off"
LIMIT_BYTES = 2**28
"""The size that the database may have before the older half of it goes."""

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BEGIN = """
    PRAGMA synchronous = OFF;  -- a crash of the machine may damage the file, and that is found
    CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, answer TEXT, seal TEXT);
"""
_READ = "SELECT answer, seal FROM answers WHERE question = ?"
_WRITE = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)"
_OLDER_HALF = "DELETE FROM answers WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM answers)"


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

    def read(self, question: str) -> Any:
        """The answer as plain data; None where there is none, or what is there is damaged."""
        if self._database is not None:
            with self._try():
                (answer, seal) = self._database.execute(_READ, (question,)).fetchone() or (None, None)
                if isinstance(answer, str) and seal == _seal(question, answer):
                    return json.loads(answer)
        return None

    def write(self, question: str, answer: Any) -> None:
        """Keep an answer of plain data from the end of the block on."""
        if self._database is not None:
            text = json.dumps(answer, separators=(",", ":"))
            with self._try():
                self._database.execute(_WRITE, (question, text, _seal(question, text)))

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
    database = sqlite3.connect(file, timeout=1)
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


def _seal(question: str, answer: str) -> str:
    """What tells an answer that is whole, and this question's."""
    return hashlib.sha256(f"{question}\n{answer}".encode()).hexdigest()
