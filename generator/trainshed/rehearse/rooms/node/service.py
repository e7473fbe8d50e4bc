"""The loop of a node: a line of JSON in, a line of JSON out, and a line for each process that ends."""

import json
import os
import selectors
import signal
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from trainshed.rehearse.rooms.node import kernel
from trainshed.rehearse.rooms.node.container import StartError
from trainshed.rehearse.rooms.node.orders import Isolated, Orders, Plain

ORDERS, ANSWERS = 0, 1


def serve(kind: str, folder: str) -> None:
    """Serve until nobody gives orders any more; then everything that was started has ended."""
    os.umask(0)
    if kind == "isolated":
        _leave_this_machine(folder)
    else:
        plain = Plain()
        _greet(os.getpid())
        _Loop(plain).run()
        plain.end()


def _leave_this_machine(folder: str) -> NoReturn:
    """Go on as the first process of new namespaces; this one only waits for its end."""
    try:
        kernel.become(0, 0)
        kernel.unshare(
            kernel.NEW_MOUNTS
            | kernel.NEW_PROCESSES
            | kernel.NEW_NETWORK
            | kernel.NEW_IPC
            | kernel.NEW_HOSTNAME
        )
        kernel.die_with_parent(signal.SIGKILL)
        node = os.fork()
    except OSError as error:
        _refuse(error)
    if node:
        _greet(node)
        for end in (ORDERS, ANSWERS):
            os.close(end)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(node, 0)[1]) & 0xFF)
    try:
        kernel.die_with_parent(signal.SIGKILL)
        isolated = Isolated(folder)
    except OSError as error:
        _refuse(error)
    _Loop(isolated).run()
    os._exit(0)


def _refuse(error: OSError) -> NoReturn:
    _say({"refused": f"{error.filename}: {error.strerror}"})
    os._exit(1)


def _greet(node: int) -> None:
    _say({"node": node})


def _say(message: dict[str, Any]) -> None:
    line = json.dumps(message).encode() + b"\n"
    while line:
        line = line[os.write(ANSWERS, line) :]


def _wake(_number: int, _frame: FrameType | None) -> None:
    """Without a handler of Python's, nothing would be written to the wakeup pipe."""


class _Loop:
    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._heard = b""
        self._selector = selectors.DefaultSelector()
        woken, waking = os.pipe()
        for end in (woken, waking):
            os.set_blocking(end, False)
        self._woken = woken
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _wake)
        self._selector.register(ORDERS, selectors.EVENT_READ)
        self._selector.register(woken, selectors.EVENT_READ)

    def run(self) -> None:
        with suppress(BrokenPipeError):
            while True:
                for key, _ in self._selector.select():
                    if key.fd == self._woken:
                        os.read(self._woken, 4096)
                        self._reap()
                    elif not self._obey():
                        return

    def _obey(self) -> bool:
        """Carry out what has come in; False after the last order."""
        received = os.read(ORDERS, 1 << 20)
        *lines, self._heard = (self._heard + received).split(b"\n")
        for line in lines:
            order = json.loads(line)
            _say({"id": order["id"]} | self._carry_out(order))
        return bool(received)

    def _carry_out(self, order: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"process": getattr(self._orders, order["do"])(order) or 0}
        except StartError as error:
            return {"refused": error.words, "exit_code": error.exit_code}
        except OSError as error:
            return {"refused": f"{error.filename}: {error.strerror}", "exit_code": 128}
        except Exception as error:  # one strange order must not end all the others
            return {"refused": f"{type(error).__name__}: {error}", "exit_code": 128}

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                number, status = os.waitpid(-1, os.WNOHANG)
                if number == 0:
                    return
                self._orders.ended(number)
                code = os.waitstatus_to_exitcode(status)
                _say({"ended": number, "exit_code": code if code >= 0 else 128 - code})
