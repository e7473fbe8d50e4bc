"""What a container writes to, and this process reads from."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

CHUNK_BYTES = 1 << 16


class NamedPipe:
    """A context manager around a named pipe whose reading end is open, so that whoever writes is never held up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path, 0o600)
        self.reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def __enter__(self) -> "NamedPipe":
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.get_running_loop().remove_reader(self.reading)
        os.close(self.reading)
        self.path.unlink(missing_ok=True)

    def pour_away(self) -> None:
        """Read what comes and forget it, from when somebody writes."""
        asyncio.get_running_loop().add_reader(self.reading, self._forget)

    def _forget(self) -> None:
        with suppress(BlockingIOError):
            if not os.read(self.reading, CHUNK_BYTES):
                asyncio.get_running_loop().remove_reader(self.reading)
