"""Where a person wrote something."""

from pathlib import PurePosixPath

from msgspec import Struct


class Source(Struct, frozen=True, order=True):
    """A word in a file: path below the repository, line and column counted from 1, width in characters."""

    path: PurePosixPath
    line: int = 1
    column: int = 1
    width: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"
