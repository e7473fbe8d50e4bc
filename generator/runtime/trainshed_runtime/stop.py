"""Told to stop: heard by one process, agreed by all ranks, obeyed in time."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import Any

from trainshed_runtime.say import say

LEFT = 128 + signal.SIGTERM
"""With what a process leaves that was told to stop: start it again, and do not count it. 143."""

STOP_FILE = "stop.json"
"""Lies in the progress folder once the launcher was told to stop: {at, grace}."""

LAUNCHER = "TRAINSHED_LAUNCHER"
"""Set by the launcher: a SIGTERM without a stop file then is torchrun's, which restarts its processes."""

_RESTART_SECONDS = 25
"""torchrun kills what it restarts after 30 s (`LocalElasticAgent._shutdown`, torch 2.15)."""

_TORCHRUN_SECONDS = 5


class Order(IntEnum):
    """What a step boundary may bring. Ranks agree on the highest."""

    GO = 0
    SAVE = 1
    RESTART = 2
    STOP = 3


def margin(grace_seconds: float) -> float:
    """What is kept of the grace period for leaving."""
    return min(10.0, grace_seconds / 4)


class StopSignal:
    """Hears SIGTERM, SIGINT, the launcher's stop file and the notice that a node is to be reclaimed.

    From then on a thread watches the time: should the process still be there when the budget is over, it leaves at
    once. The thread hears signals itself, for Python runs no handler while a collective of PyTorch waits.
    """

    def __init__(
        self,
        grace_seconds: float,
        files: tuple[Path, ...],
        environ: Mapping[str, str] = os.environ,
        last_words: Callable[[Order], None] = lambda _: None,
    ) -> None:
        self._grace_seconds = grace_seconds
        self._files = files
        self._restarts = LAUNCHER in environ and "TORCHELASTIC_RUN_ID" in environ
        self._last_words = last_words
        self._order = Order.GO
        self._deadline = float("inf")
        self._is_leaving = False
        self._told_again = threading.Event()
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)
        self._before: dict[signal.Signals, object] = {}
        self._wakeup_before = -1

    def install(self) -> None:
        """Begin to listen. Off the main thread, where Python allows no signal handlers, the files are what counts."""
        threading.Thread(target=self._listen, name="trainshed-stop", daemon=True).start()
        if threading.current_thread() is threading.main_thread():
            self._before = {
                number: signal.signal(number, self._handle) for number in (signal.SIGTERM, signal.SIGINT)
            }
            self._wakeup_before = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
            os.register_at_fork(after_in_child=self.uninstall)

    def uninstall(self) -> None:
        """Give the signals back; done in forked children too, which are none of the ranks."""
        if self._before:
            signal.set_wakeup_fd(self._wakeup_before, warn_on_full_buffer=False)
            for number, handler in self._before.items():
                signal.signal(number, handler)  # pyright: ignore[reportArgumentType] - what signal.signal gave
            self._before = {}

    def order(self) -> Order:
        """What this process was told by now."""
        if self._order < Order.STOP and self._told_here():
            self.obey(Order.STOP)
        return self._order

    def obey(self, order: Order) -> None:
        """Take the order as given, here or by another rank; from now on time is short."""
        if order > self._order and order >= Order.RESTART:
            self._order = order
            told = time.time()
            with suppress(OSError, ValueError, KeyError, IndexError):
                told = float(json.loads(self._files[0].read_bytes())["at"])
            budget = self._grace_seconds - margin(self._grace_seconds)
            if order is Order.RESTART:
                budget = min(budget, _RESTART_SECONDS)
            self._deadline = time.monotonic() + max(0.0, told + budget - time.time())
            with suppress(OSError):
                self._mouth.send(b"\0")

    def wait_for_torchrun(self) -> None:
        """Stay until torchrun has been told to end, and passes it on: seeing a rank gone, it would start it again.

        Only where the launcher was told to stop, and tells torchrun when all ranks here have left.
        """
        if self._restarts and self._told_here():
            self._is_leaving = True
            self._told_again.wait(_TORCHRUN_SECONDS)

    def _told_here(self) -> bool:
        return any(file.exists() for file in self._files)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGINT and self._order >= Order.RESTART:
            raise KeyboardInterrupt
        with suppress(OSError):  # the thread has heard it already, unless somebody else took the wake-up
            self._mouth.send(bytes([number]))

    def _hear(self) -> None:
        if self._is_leaving:
            self._told_again.set()
        self.obey(Order.RESTART if self._restarts and not self._told_here() else Order.STOP)

    def _listen(self) -> None:
        while (left := self._deadline - time.monotonic()) > 0:
            self._ear.settimeout(None if left == float("inf") else left)
            with suppress(TimeoutError, OSError):
                if set(self._ear.recv(64)) & {signal.SIGTERM, signal.SIGINT}:
                    self._hear()
        self._last_words(self._order)
        say(f"out of time after the order to stop: leaving with {LEFT}")
        os._exit(LEFT)


class Agreement:
    """What all ranks agree on, at the cost of one byte for each: over gloo, so that no GPU is waited for."""

    def __init__(self) -> None:
        import torch
        import torch.distributed as dist

        self._word = torch.zeros(1, dtype=torch.uint8)
        self._reduce: Callable[[], object] = lambda: None
        if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1:
            group: Any = dist.new_group(backend="gloo")
            self._reduce = lambda: dist.all_reduce(self._word, op=dist.ReduceOp.MAX, group=group)

    def highest(self, order: Order) -> Order:
        """The highest order that any rank has; all ranks wait for one another here."""
        self._word[0] = order
        self._reduce()
        return Order(int(self._word[0]))
