"""The nouns of a room, and what every kind of rooms can do."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

NEVER_RAN = 128
"""The exit code that a container runtime gives to a container that it could not start."""


class RoomError(Exception):
    """A room or a process in it cannot be had; the words say why. `exit_code` is what a shell would give for it."""

    def __init__(self, words: str, exit_code: int = NEVER_RAN) -> None:
        super().__init__(words)
        self.words = words
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of this machine, or what lies at `sub_path` in it, at a path that a container sees.

    `sub_path` is followed without symbolic links; a folder that is missing there is made.
    """

    path: str
    source: str
    sub_path: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class MemoryFolder:
    """A folder of the rehearsal that is memory in the room, and is full after so many bytes."""

    source: str
    num_bytes: int


@dataclass(frozen=True, slots=True)
class RoomToOpen:
    """What all containers of a pod share: host name, address, and folders in memory.

    `name` is unique in a rehearsal; `names` are all host names that the pod's words may hold.
    """

    name: str
    hostname: str
    address: str
    memory: tuple[MemoryFolder, ...] = ()
    names: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ProcessToStart:
    """A command as its container would start it.

    `output` is a named pipe that somebody reads; `literal` are the variables whose values are the pod's own facts.
    `inside` is the process of the container that a hook or a probe runs in, 0 for a container of its own.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    output: str
    folder: str = "/"
    mounts: tuple[Mount, ...] = ()
    keep: tuple[str, ...] = ()
    user: int = 0
    group: int = 0
    no_new_privileges: bool = False
    inside: int = 0
    literal: frozenset[str] = field(default_factory=frozenset[str])


class Process(Protocol):
    """The first process of a container, or of a hook in one. `notes` say what a room changed about it."""

    number: int
    notes: tuple[str, ...]

    async def wait(self) -> int:
        """Its exit code, 128+n if signal n ended it."""
        ...

    async def signal(self, signal: int, *, everyone: bool = False) -> None:
        """Send a signal to it alone, or to every process of its container; one that has ended hears nothing."""
        ...


class Room(Protocol):
    """Where one life of a pod is lived."""

    async def start(self, process: ProcessToStart) -> Process:
        """Start a process; raises `RoomError` with the words of what is missing."""
        ...

    async def close(self) -> None:
        """End what still runs in it, and give back its address and memory."""
        ...


class Rooms(Protocol):
    """All rooms of a rehearsal. They write below `folder` only, and nothing of them outlives this process."""

    kind: str
    folder: Path

    async def open(self, room: RoomToOpen) -> Room:
        """A room for one life of a pod; raises `RoomError`."""
        ...

    async def limit(self, folder: Path, num_bytes: int) -> None:
        """Let a folder of the rehearsal hold no more than this from now on; raises `RoomError` where it cannot be.

        The first call puts the folder into memory and hides what lies in it, so it comes before rooms are open.
        """
        ...

    async def fill(self, folder: Path) -> None:
        """Leave no byte free in a folder that has a limit; raises `RoomError`."""
        ...

    def see(self, folder: Path) -> Path:
        """Where this process finds what pods write into a folder of the rehearsal."""
        ...

    async def close(self) -> None:
        """End every process and give everything back."""
        ...
