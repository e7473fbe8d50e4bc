"""Who may write: one writer at a time, the last to claim. Needs no torch.

Each start claims the next number, its incarnation, by creating `writers/<incarnation>.json`, which only one can. Then
it records in `writers/<incarnation>.seen.json` the checkpoints that it found: what an older writer completes after that
does not count. Numbers go on over all runs of a lineage, because attempts of different runs have no order among them;
within a run a later attempt keeps earlier ones out for good.
"""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from trainshed_runtime.contract import Contract
from trainshed_runtime.storage import Storage, is_name

_FOLDER = "writers"
_CLAIM = re.compile(r"(\d{6,12})\.json")
_SEEN = re.compile(r"(\d{6,12})\.seen\.json")
_LARGEST = 4 << 20
_KEPT = 16
"""Claims beyond the newest that are kept, for people to read."""


class Superseded(RuntimeError):  # noqa: N818 - a fact about this writer, not a mistake
    """A newer writer has claimed these checkpoints, or a later attempt has: this one may not write."""


@dataclass(frozen=True)
class Writer:
    """Who writes: the attempt, and the incarnation that it claimed at its start."""

    attempt: int
    incarnation: int


@dataclass(frozen=True)
class Claim:
    """What a claim says: whose it is, and the latest attempt of each run that has ever claimed here."""

    incarnation: int
    run: str = ""
    attempt: int = 0
    host: str = ""
    attempts: dict[str, int] = field(default_factory=dict)


class Fence:
    """A writer's place among the writers of a folder."""

    def __init__(self, storage: Storage, writer: Writer) -> None:
        self._storage = storage
        self.writer = writer

    @classmethod
    def claim(cls, storage: Storage, contract: Contract) -> Fence:
        """Become the newest writer.

        Raises:
            Superseded: a later attempt of the same run has claimed before.

        """
        run = base_of(contract.run, contract.attempt)
        incarnation = max(_numbers(storage, _CLAIM), default=0)
        attempts: dict[str, int] = {}
        while True:
            attempts |= newest_claim(storage, incarnation).attempts
            if attempts.get(run, 0) > contract.attempt:
                raise Superseded(
                    f"attempt {contract.attempt} of {run or 'this run'} is over: attempt {attempts[run]} has started "
                    f"and owns {storage.address}"
                )
            incarnation += 1
            words = {
                "run": contract.run,
                "attempt": contract.attempt,
                "host": socket.gethostname(),
                "at": time.time(),
                "attempts": attempts | {run: contract.attempt},
            }
            try:
                storage.create(_claim_path(incarnation), json.dumps(words).encode())
            except FileExistsError:
                continue
            return cls(storage, Writer(contract.attempt, incarnation))

    def check(self) -> None:
        """Go on only as the newest writer.

        Raises:
            Superseded: another has claimed since.

        """
        newest = max(_numbers(self._storage, _CLAIM), default=0)
        if newest > self.writer.incarnation:
            by = newest_claim(self._storage, newest)
            who = (
                f"attempt {by.attempt} of {by.run or 'this run'} on {by.host}" if by.host else "another start"
            )
            raise Superseded(
                f"writer {self.writer.incarnation} (attempt {self.writer.attempt}) is no longer the newest: {who} "
                f"claimed {self._storage.address} as writer {newest}"
            )

    def record(self, seen: Iterable[str]) -> None:
        """Settle which checkpoints of older writers count, from now on and for every reader."""
        path = f"{_FOLDER}/{self.writer.incarnation:06}.seen.json"
        self._storage.publish(path, json.dumps({"seen": sorted(seen)}).encode())
        for number in sorted(_numbers(self._storage, _CLAIM))[: -_KEPT - 1]:
            if number < self.writer.incarnation:
                self._storage.remove(f"{_FOLDER}/{number:06}.seen.json")
                self._storage.remove(_claim_path(number))


@dataclass(frozen=True)
class Seen:
    """What the newest writer that recorded it found: its number, and the names of the checkpoints that count."""

    incarnation: int = 0
    names: frozenset[str] = frozenset()

    def counts(self, name: str, incarnation: int) -> bool:
        """Whether a complete checkpoint of this name and writer counts, or came too late."""
        return incarnation >= self.incarnation or name in self.names


def last_seen(storage: Storage) -> Seen:
    """What the newest writer with a readable record found; nothing recorded lets everything count."""
    for number in sorted(_numbers(storage, _SEEN), reverse=True):
        names = _json(storage, f"{_FOLDER}/{number:06}.seen.json").get("seen")
        if isinstance(names, list):
            return Seen(number, frozenset(name for name in names if is_name(name)))
    return Seen()


def newest_claim(storage: Storage, at_most: int | None = None) -> Claim:
    """The newest claim that can be read, of those up to a number; an empty one where there is none."""
    for number in sorted(_numbers(storage, _CLAIM), reverse=True):
        words = _json(storage, _claim_path(number)) if at_most is None or number <= at_most else {}
        attempts = words.get("attempts")
        if isinstance(attempts, dict):
            return Claim(
                number,
                run=str(words.get("run", ""))[:253],
                attempt=words["attempt"] if isinstance(words.get("attempt"), int) else 0,
                host=str(words.get("host", ""))[:253],
                attempts={str(run): n for run, n in attempts.items() if isinstance(n, int)},
            )
    return Claim(0)


def base_of(run: str, attempt: int) -> str:
    """The run's name without the number that attempts after the first append to it."""
    return run.removesuffix(f"-{attempt}") if attempt > 1 else run


def _numbers(storage: Storage, pattern: re.Pattern[str]) -> list[int]:
    return [int(match[1]) for match in map(pattern.fullmatch, storage.names(_FOLDER)) if match]


def _claim_path(incarnation: int) -> str:
    return f"{_FOLDER}/{incarnation:06}.json"


def _json(storage: Storage, path: str) -> dict[str, Any]:
    """The object in a file; nothing for what is gone, too large or garbled."""
    try:
        words = json.loads(storage.read(path, _LARGEST))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return words if isinstance(words, dict) else {}
