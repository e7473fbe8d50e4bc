"""Which processes belong to a container."""

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress


def members(first: int) -> list[int]:
    """All processes in the process namespace of a container's first one."""
    try:
        namespace = os.readlink(f"/proc/{first}/ns/pid")
    except OSError:
        return []
    return [number for number in _numbers() if _namespace(number) == namespace]


def descendants(first: int) -> list[int]:
    """A process, its children, and theirs, as far as their parents still live."""
    children: dict[int, list[int]] = {}
    for number, parent in _parents():
        children.setdefault(parent, []).append(number)
    found, waiting = [first], [first]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.append(child)
            waiting.append(child)
    return found


def marked(mark: str) -> list[int]:
    """Processes whose environment began with a mark, wherever their parents are; on Linux only."""
    if sys.platform != "linux":
        return []
    return [number for number in _numbers() if mark.encode() in _environment(number)]


def send(numbers: Iterable[int], signal: int) -> None:
    """Send a signal to processes; those that are gone hear nothing."""
    for number in numbers:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(number, signal)


def _numbers() -> Iterable[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


def _namespace(number: int) -> str:
    try:
        return os.readlink(f"/proc/{number}/ns/pid")
    except OSError:
        return ""


def _environment(number: int) -> list[bytes]:
    try:
        with open(f"/proc/{number}/environ", "rb") as environment:
            return environment.read().split(b"\0")
    except OSError:
        return []


def _parents() -> Iterable[tuple[int, int]]:
    if sys.platform == "linux":
        for number in _numbers():
            with suppress(OSError), open(f"/proc/{number}/stat", "rb") as stat:
                yield number, int(stat.read().rpartition(b")")[2].split()[1])
        return
    listing = subprocess.run(["/bin/ps", "-A", "-o", "pid=,ppid="], capture_output=True, check=False).stdout
    for line in listing.decode("ascii", "replace").splitlines():
        number, parent = line.split()
        yield int(number), int(parent)
