"""From a plan to the first process of a container: it enters its room, builds its root, and becomes its command."""

import json
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from trainshed.rehearse.rooms.node import kernel
from trainshed.rehearse.rooms.node.root import NoPlaceError, Root, mounts_by_depth

Plan = Mapping[str, Any]
NAMESPACES_OF_A_CONTAINER = ("net", "uts", "ipc", "mnt", "pid", "user")
CANNOT_RUN, NOT_FOUND, NEVER_RAN = 126, 127, 128


def start_in_room(plan: Plan, room: Mapping[str, int], scratch: str) -> int:
    """Start a container in a room's namespaces and give its first process, as numbered here."""

    def prepare() -> None:
        for namespace in room.values():
            kernel.enter(namespace)
        kernel.unshare(kernel.NEW_MOUNTS | kernel.NEW_PROCESSES)

    def build() -> None:
        root = Root(scratch)
        for mount in mounts_by_depth(plan["mounts"]):
            root.graft(mount)
        for path in plan["keep"]:
            root.keep(path)
        root.enter()
        kernel.become(plan["user"], plan["group"])

    return _start(plan, prepare, build)


def start_inside(plan: Plan) -> int:
    """Start a hook or a probe in the container of the process `inside`."""
    process = plan["inside"]

    def prepare() -> None:
        opened = [os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY) for name in NAMESPACES_OF_A_CONTAINER]
        for namespace in opened:
            kernel.enter(namespace)

    def change_user() -> None:
        os.setresgid(plan["group"], plan["group"], plan["group"])
        os.setresuid(plan["user"], plan["user"], plan["user"])

    return _start(plan, prepare, change_user)


def start_plain(plan: Plan) -> int:
    """Start a command as a process of this user, in a session of its own."""

    def settle() -> None:
        os.setsid()
        with suppress(OSError, AttributeError):  # another system than Linux
            kernel.die_with_parent(signal.SIGKILL)

    return _start(plan, None, settle)


def _start(plan: Plan, prepare: Callable[[], None] | None, settle: Callable[[], None]) -> int:
    """Fork, settle, execute. `prepare` runs in a process between, for a change that only children see.

    Raises `StartError` with what went wrong before the command took over.
    """
    output = os.open(plan["output"], os.O_WRONLY | os.O_NONBLOCK)  # somebody reads already, or it fails
    os.set_blocking(output, True)
    ready, failed = os.pipe()
    number, told = os.pipe()
    child = os.fork()
    if child == 0:
        _attempt(failed, lambda: _divide(plan, prepare, settle, output, failed, told))
    for end in (output, failed, told):
        os.close(end)
    with os.fdopen(number, "rb") as numbers, os.fdopen(ready, "rb") as failures:
        process = int(numbers.read() or b"0")
        failure = failures.read()
    if prepare:
        os.waitpid(child, 0)
    if failure:
        raise StartError(**json.loads(failure), process=process)
    return process


class StartError(Exception):
    """The command never took over; `process` ends by itself."""

    def __init__(self, words: str, exit_code: int, process: int) -> None:
        super().__init__(words)
        self.words = words
        self.exit_code = exit_code
        self.process = process


def _divide(
    plan: Plan,
    prepare: Callable[[], None] | None,
    settle: Callable[[], None],
    output: int,
    failed: int,
    told: int,
) -> NoReturn:
    """Become the command, or, where something has to be prepared, the parent of what becomes it."""
    process = os.getpid()
    if prepare:
        prepare()
        process = os.fork()
        if process == 0:
            os.close(told)
            _attempt(failed, lambda: _execute(plan, settle, output))
    os.write(told, str(process).encode())
    os.close(told)
    if prepare:
        os._exit(0)
    _execute(plan, settle, output)


def _attempt(failed: int, act: Callable[[], NoReturn]) -> NoReturn:
    code = NEVER_RAN
    try:
        act()
    except NoPlaceError as error:
        words = str(error)
    except _CommandError as error:
        words, code = str(error), error.exit_code
    except OSError as error:
        words = f"{error.filename or 'room'}: {error.strerror}"
    except BaseException as error:
        words = f"{type(error).__name__}: {error}"
    os.write(failed, json.dumps({"words": words, "exit_code": code}).encode())
    os._exit(code)


class _CommandError(Exception):
    def __init__(self, words: str, exit_code: int) -> None:
        super().__init__(words)
        self.exit_code = exit_code


def _execute(plan: Plan, settle: Callable[[], None], output: int) -> NoReturn:
    settle()
    os.umask(0o022)
    try:
        with suppress(OSError):
            os.makedirs(plan["folder"], exist_ok=True)  # container runtimes make it
        os.chdir(plan["folder"])
    except OSError as error:
        raise _CommandError(f"the working folder {plan['folder']}: {error.strerror}", NEVER_RAN) from None
    if plan["no_new_privileges"]:
        kernel.gain_no_privileges()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    command, environment = list(plan["command"]), dict(plan["environment"])
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606 (this is what a container is)
    except FileNotFoundError:
        raise _CommandError(f"{command[0]} is not there", NOT_FOUND) from None
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise _CommandError(f"{command[0]} cannot be run: {words}", CANNOT_RUN) from None
