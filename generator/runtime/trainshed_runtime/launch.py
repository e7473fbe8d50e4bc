"""Runs a command as the first process of a container: `python -m trainshed_runtime.launch torchrun train.py`.

Passes an order to stop on to the ranks themselves, and to the command (torchrun, accelerate, python, …) only once they
are gone: torchrun would kill them after a time-out of its own. Leaves with

    0       the command did
    143     it was told to stop, or its ranks were on this node: start it again, and do not count it
    124     no rank moved for TRAINSHED_HANG_SECONDS
    127     there is no such command
    128+n   signal n ended the command
    else    the code of the rank that failed first, or the command's own

Where the ranks left because another node was told to stop, this container stays: the command starts again and waits for
the node that comes in the place of the lost one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from trainshed_runtime.contract import Contract
from trainshed_runtime.progress import Note, read_notes
from trainshed_runtime.say import say
from trainshed_runtime.stop import LAUNCHER, LEFT, STOP_FILE, margin

HUNG = 124
_LOOK_SECONDS = 0.2
_SECONDS_FOR_STACKS = 1.0
_SECONDS_BEFORE_ANEW = 3.0
"""What the other nodes get to close what a command that starts anew must not find still open."""
_SECONDS_TO_JOIN_AGAIN = 1800.0
"""For how long a command that cannot meet the others again is started once more."""


class Orders:
    """What the kubelet tells this process by signals, for as long as it lives."""

    def __init__(self, notice: str | None) -> None:
        self.wake = threading.Event()
        self._signalled = False
        self._notice = Path(notice) if notice else None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_stop)
        signal.signal(signal.SIGCHLD, self._on_child)

    @property
    def signalled(self) -> bool:
        """Whether a signal to stop has come."""
        return self._signalled

    @property
    def to_stop(self) -> bool:
        """Whether this node, and not another, is to be left."""
        return self._signalled or (self._notice is not None and self._notice.exists())

    def _on_child(self, *_: object) -> None:
        self.wake.set()

    def _on_stop(self, *_: object) -> None:
        self._signalled = True
        self.wake.set()


class Launch:
    """One command and its ranks, watched until it ends."""

    def __init__(self, command: Sequence[str], contract: Contract, folder: Path, orders: Orders) -> None:
        self._contract = contract
        self._folder = folder
        self._orders = orders
        self._elastic = _is_elastic(command)
        self._told_at: float | None = None
        self._hung = False
        self._bidden_to_end = False
        self._clear()
        self._pid = os.posix_spawnp(
            command[0], list(command), self._environ(), setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
        )

    def until_it_ends(self) -> int:
        """Watch over the command. Returns the code to leave with."""
        while (status := self._reap()) is None:
            self._look()
            self._orders.wake.wait(_LOOK_SECONDS)
            self._orders.wake.clear()
        for note in self._ranks():
            _send(note.pid, signal.SIGKILL)
        return self._code(status)

    def has_trained(self) -> bool:
        """Whether any rank got so far as to train, to save or to fail at it."""
        return any(note.doing != "starting" for note in read_notes(self._folder))

    def _look(self) -> None:
        if self._told_at is None:
            if self._orders.signalled or self._left_with_others():
                self._tell()
            elif self._is_hung():
                self._end_hung()
        else:
            self._see_them_off(self._told_at)

    def _tell(self) -> None:
        """Order the ranks to stop. Where none has begun there is nothing to save, and the command itself is told."""
        self._told_at = time.time()
        order = {"at": self._told_at, "grace": self._contract.grace_seconds}
        with suppress(OSError):  # a full disk: the signal alone then has to do
            beside = self._folder / f"{STOP_FILE}.new"
            beside.write_text(json.dumps(order))
            beside.replace(self._folder / STOP_FILE)
        ranks = self._ranks()
        say(f"told to stop: passed on to {len(ranks)} ranks, {self._contract.grace_seconds:g} s to leave")
        for note in ranks:
            _send(note.pid, signal.SIGTERM)
        if not ranks:
            self._bid_to_end()

    def _see_them_off(self, told_at: float) -> None:
        """Let the ranks leave, then the command; end what is there still when the time is over."""
        grace = self._contract.grace_seconds
        if time.time() > told_at + grace - margin(grace) / 2:
            self._kill()
        elif all(note.doing == "left" for note in self._ranks()):
            self._bid_to_end()

    def _bid_to_end(self) -> None:
        if not self._bidden_to_end:
            self._bidden_to_end = True
            _send(self._pid, signal.SIGTERM)

    def _kill(self) -> None:
        """The command first: it might start its processes again."""
        _send(self._pid, signal.SIGKILL)
        for note in self._ranks():
            _send(note.pid, signal.SIGKILL)

    def _left_with_others(self) -> bool:
        """Whether the ranks here left as those of another node were told to. torchrun goes on if it may with fewer."""
        return not self._elastic and any(note.doing == "left" for note in read_notes(self._folder))

    def _is_hung(self) -> bool:
        wait = self._contract.hang_seconds
        moved = [note.at for note in self._ranks()]
        return bool(wait and moved) and time.time() - max(moved) > wait

    def _end_hung(self) -> None:
        self._hung = True
        for note in self._ranks():
            say(
                f"rank {note.rank} (process {note.pid}) hangs at step {note.step}, {note.doing}; where it is:"
            )
            _send(note.pid, signal.SIGUSR1)
            time.sleep(_SECONDS_FOR_STACKS)
        self._kill()

    def _code(self, status: int) -> int:
        code = os.waitstatus_to_exitcode(status)
        notes = list(read_notes(self._folder))
        if self._hung:
            return HUNG
        if self._told_at is not None:
            return 0 if code == 0 and any(note.doing == "finished" for note in notes) else LEFT
        if code == 0:
            return 0
        if notes and max(notes, key=lambda note: note.at).doing == "left":
            return LEFT
        failed = [note for note in notes if note.doing == "failed" and note.code]
        if code > 0 and failed:
            return min(failed, key=lambda note: note.at).code
        return code if code > 0 else 128 - code

    def _ranks(self) -> list[Note]:
        """The ranks that live; a note may outlast its process."""
        return [note for note in read_notes(self._folder) if note.is_alive()]

    def _reap(self) -> int | None:
        """Collect every child that has ended, adopted ones too. The status of the command once it has."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._pid:
                    return ended[1]
        return None

    def _clear(self) -> None:
        """What a container before this one left in the folder says nothing about this one."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for path in (self._folder / STOP_FILE, *self._folder.glob("rank-*.json")):
            path.unlink(missing_ok=True)

    def _environ(self) -> dict[str, str]:
        shutdown = max(1, int(self._contract.grace_seconds) - 10)
        # A node that joins an elastic run later waits in vain for the address of the store that the others share:
        # only the first round of the rendezvous tells it (`DynamicRendezvousHandler.next_rendezvous`, torch 2.15).
        own_store = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} if self._elastic else {}
        carried = str(Path(__file__).parents[1])
        others = [
            path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path not in ("", carried)
        ]
        return {
            "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": str(shutdown),
            **own_store,
            **os.environ,
            "PYTHONPATH": os.pathsep.join([carried, *others]),
            "TRAINSHED_PROGRESS": str(self._folder),
            LAUNCHER: str(os.getpid()),
        }


def main(command: Sequence[str]) -> int:
    """Run the command; returns the code that the container leaves with."""
    if not command:
        say("usage: python -m trainshed_runtime.launch COMMAND [ARGUMENT…]")
        return 2
    contract = Contract.read()
    folder = Path(contract.progress or tempfile.mkdtemp(prefix="trainshed-progress-"))
    orders, joins_until = Orders(contract.notice), 0.0
    while True:
        try:
            launch = Launch(command, contract, folder, orders)
        except OSError as error:
            say(f"cannot run {command[0]}: {error.strerror}")
            return 127
        code = launch.until_it_ends()
        if orders.to_stop:
            return code
        if code == LEFT:
            say("another node was told to stop: starting again, to wait for the one in its place")
            joins_until = time.monotonic() + _SECONDS_TO_JOIN_AGAIN
        elif code == 0 or launch.has_trained() or time.monotonic() > joins_until:
            return code
        else:
            say(f"the nodes have not met again (code {code}): starting once more")
        _pause(orders)
        if orders.to_stop:
            return LEFT


def _pause(orders: Orders) -> None:
    """Give the other nodes time to close what they had open; an order to stop cuts it short."""
    end = time.monotonic() + _SECONDS_BEFORE_ANEW
    while not orders.signalled and time.monotonic() < end:
        orders.wake.wait(_LOOK_SECONDS)
        orders.wake.clear()


def _is_elastic(command: Sequence[str]) -> bool:
    """Whether torchrun may go on with fewer nodes: `--nnodes=1:2`, or PET_NNODES."""
    said = re.search(r"--nnodes[= ](\S+)", " ".join(command))
    fewest, _, most = (said[1] if said else os.environ.get("PET_NNODES", "")).partition(":")
    return bool(most) and fewest != most


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
