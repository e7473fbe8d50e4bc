"""Where a person wrote something."""

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A word in a file: path below the repository, line and column counted from 1, width in characters."""

    path: PurePosixPath
    line: int = 1
    column: int = 1
    width: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"
