"""Watches the folder that a training with trainshed-runtime leaves its progress in.

`rank-<n>.json` is overwritten in each step ({pid, rank, step, epoch, at, doing}); `rank-<n>.log` grows by a line of
JSON for what is rare ({event, step, at, seconds, world}). Processes of the pod write there, so nothing is believed:
what is no plain file of a reasonable size, or no such JSON, counts as not there.
"""

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainshed.model.rehearsal import Happening
from trainshed.rehearse.kubelet.telling import Teller

LOOK_SECONDS = 0.05
MOST_BYTES = 1 << 16
MOST_RANKS = 4096
_RANK = re.compile(r"rank-(\d{1,6})\.(json|log)")
_HAPPENINGS = {"resumed": Happening.RESUMED, "saved": Happening.SAVED, "restarted": Happening.RESTARTED}


class ProgressWatch:
    """Tells the steps, saves and resumes of one container; `seen` is whether its code tells any."""

    def __init__(self, folder: Path, container: str, teller: Teller) -> None:
        self._folder = folder
        self._container = container
        self._teller = teller
        self._steps: dict[int, int] = {}
        self._read: dict[int, int] = {}
        self.seen = False

    def look(self) -> None:
        """Tell what is new: rare things first, for they led to the step."""
        found = sorted(self._ranks())
        for rank, kind in found:
            if kind == "log":
                self._look_at_log(rank)
        for rank, kind in found:
            if kind == "json":
                self._look_at_step(rank)

    def _ranks(self) -> Iterator[tuple[int, str]]:
        try:
            names = os.listdir(self._folder)[: 2 * MOST_RANKS]
        except OSError:
            return
        for match in filter(None, map(_RANK.fullmatch, names)):
            yield int(match[1]), match[2]

    def _look_at_step(self, rank: int) -> None:
        step = _whole(_decode(_read(self._folder / f"rank-{rank}.json", 0)).get("step"))
        if step >= 0 and self._steps.get(rank) != step:
            self.seen = True
            self._steps[rank] = step
            self._teller.tell(Happening.STEP, self._container, rank=rank, step=step)

    def _look_at_log(self, rank: int) -> None:
        start = self._read.get(rank, 0)
        whole, newline, _ = _read(self._folder / f"rank-{rank}.log", start).rpartition(b"\n")
        if not newline:
            return
        self._read[rank] = start + len(whole) + 1
        for line in whole.split(b"\n"):
            self._tell_line(rank, _decode(line))

    def _tell_line(self, rank: int, line: dict[str, Any]) -> None:
        event = line.get("event")
        if not isinstance(event, str):
            return
        self.seen = True
        seconds = line.get("seconds")
        self._teller.tell(
            _HAPPENINGS.get(event, Happening.NOTE),
            self._container,
            rank=rank,
            step=_whole(line.get("step")),
            seconds=float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e9 else 0.0,
            text="" if event in _HAPPENINGS else event[:200],
            detail={"event": event[:200], "world": str(line.get("world", ""))[:20]},
        )


def _read(path: Path, start: int) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.pread(file, MOST_BYTES, start) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)


def _decode(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63 else -1
