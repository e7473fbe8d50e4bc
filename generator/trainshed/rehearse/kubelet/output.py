"""What a container prints: kept in files of bounded size, and read for steps and for what is missing here."""

import asyncio
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from trainshed.model.rehearsal import Happening
from trainshed.rehearse.kubelet.telling import FASTEST_STEPS_SECONDS, Teller

HALF_BYTES = 32 << 20
"""A log is two files of at most this: the last one, and `.1` with what came before."""
CHUNK_BYTES = 1 << 16
LINE_BYTES = 1 << 14

_STEP = re.compile(r"step[ =:]*(\d{1,15})", re.IGNORECASE)
_RANK = re.compile(r"^\[(?:rank|default)?(\d{1,6})\]")
_MISSING = (
    (
        re.compile(r"No module named '?([\w.]+)"),
        "the Python module {} is not on this machine: --python FOLDER takes programs from where it is installed",
    ),
    (
        re.compile(r"can't open file '?([^':]+)"),
        "{} is not on this machine: --mount PATH=FOLDER puts a local folder at a path of the image",
    ),
    (
        re.compile(r"(?:sh|bash|dash): (?:line )?(?:\d+: )?([\w./\-]+): (?:command )?not found"),
        "the command {} is not on this machine: --python FOLDER or --mount PATH=FOLDER brings it",
    ),
)


class Log:
    """The last output of a container, in a file and the one before it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("ab")

    def write(self, output: bytes) -> None:
        """Add to the end; what is older than the bound goes."""
        if self._file.tell() + len(output) > HALF_BYTES:
            self._file.close()
            self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            self._file = self._path.open("ab")
        self._file.write(output)
        self._file.flush()

    def close(self) -> None:
        """Nothing more comes."""
        self._file.close()


class OutputReader:
    """Reads a pipe until all who write to it are gone. Steps are told while `tells_itself` is false."""

    def __init__(
        self, pipe: int, log: Log, container: str, teller: Teller, tells_itself: Callable[[], bool]
    ) -> None:
        self._pipe = pipe
        self._log = log
        self._container = container
        self._teller = teller
        self._tells_itself = tells_itself
        self._rest = b""
        self._steps: dict[int, int] = {}
        self._told = 0.0
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(pipe, self._read)

    async def finish(self, seconds: float) -> None:
        """Wait for the end of the output so long, then stop reading."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)
        asyncio.get_running_loop().remove_reader(self._pipe)
        self._look_at(self._rest)
        self._log.close()

    def _read(self) -> None:
        try:
            output = os.read(self._pipe, CHUNK_BYTES)
        except BlockingIOError:
            return
        if not output:
            asyncio.get_running_loop().remove_reader(self._pipe)
            self._ended.set()
            return
        self._log.write(output)
        *lines, self._rest = (self._rest + output).split(b"\n")
        self._rest = self._rest[-LINE_BYTES:]
        for line in lines:
            self._look_at(line[-LINE_BYTES:])

    def _look_at(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        for pattern, words in _MISSING:
            if found := pattern.search(text):
                self._teller.note(words.format(found[1]), self._container)
        if not self._tells_itself() and (found := _STEP.search(text)):
            self._tell_step(_rank_of(text), int(found[1]))

    def _tell_step(self, rank: int, step: int) -> None:
        now = monotonic()
        if self._steps.get(rank) != step and now - self._told >= FASTEST_STEPS_SECONDS:
            self._steps[rank] = step
            self._told = now
            self._teller.tell(Happening.STEP, self._container, rank=rank, step=step)


def _rank_of(text: str) -> int:
    found = _RANK.match(text)
    return int(found[1]) if found else -1
