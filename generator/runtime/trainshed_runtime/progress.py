"""How far each rank is, told in a folder: to the launcher, to a rehearsal, to a person.

`rank-<n>.json` holds what the rank does now and is overwritten in place at every step. `rank-<n>.log` holds what is
rare, a line of JSON for each event. The folder belongs to one container.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

_LINE_BYTES = 256
"""Every note is as long, so that writing over the one before leaves nothing of it."""


@dataclass(frozen=True)
class Note:
    """What a rank does now, and since when (`at`, in seconds of Unix time).

    `doing`: starting, training, saving, leaving; at the end left (told to stop), restarting (as torchrun bade it),
    finished, or failed with `code`.
    """

    pid: int
    rank: int
    step: int = 0
    epoch: int = 0
    at: float = 0
    doing: str = "starting"
    code: int = 0

    def is_alive(self) -> bool:
        """Whether the process is there still; one that has died and waits to be reaped is not."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return False
        return state.rpartition(")")[2].split()[0] not in "ZX"


class Progress:
    """The pen of one rank. Without a folder it writes nothing, and a full disk keeps nobody from training."""

    def __init__(self, folder: str | None, rank: int) -> None:
        self.rank = rank
        self._folder = Path(folder) if folder else None
        self._file = -1
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            _forget_the_dead(self._folder)
            self._file = os.open(self._folder / f"rank-{rank}.json", os.O_RDWR | os.O_CREAT, 0o644)

    def note(self, doing: str, step: int, epoch: int, code: int = 0) -> None:
        """Write over what the rank did before."""
        if self._file >= 0:
            note = Note(os.getpid(), self.rank, step, epoch, time.time(), doing, code)
            line = json.dumps(asdict(note)).ljust(_LINE_BYTES - 1) + "\n"
            with suppress(OSError):
                os.pwrite(self._file, line.encode(), 0)

    def event(self, event: str, step: int, **more: float | str | None) -> None:
        """Add a line to what has happened to this rank."""
        if self._folder is not None:
            line = json.dumps({"event": event, "step": step, "at": time.time(), **more})
            log = self._folder / f"rank-{self.rank}.log"
            with suppress(OSError), open(log, "a", encoding="utf-8") as file:
                file.write(line + "\n")


def read_notes(folder: Path) -> Iterator[Note]:
    """What the ranks of the folder do now; what cannot be read is passed over, for it is being written."""
    names = {field.name for field in fields(Note)}
    for path in sorted(folder.glob("rank-*.json")):
        with suppress(OSError, ValueError, TypeError):
            said = json.loads(path.read_bytes())
            yield Note(**{name: value for name, value in said.items() if name in names})


def _forget_the_dead(folder: Path) -> None:
    """A world that shrank leaves notes of ranks that are no more."""
    for note in read_notes(folder):
        if not note.is_alive():
            (folder / f"rank-{note.rank}.json").unlink(missing_ok=True)
