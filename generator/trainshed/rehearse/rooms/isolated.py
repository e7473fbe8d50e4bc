"""Rooms of Linux namespaces: each pod has its own paths, host name, address and users, and nobody else to talk to."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from trainshed.rehearse.rooms.link import Link, LinkedProcess
from trainshed.rehearse.rooms.room import ProcessToStart, RoomError, RoomToOpen

INTERFACE = "eth0"
NAMES_INTERFACE = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME")


class IsolatedRooms:
    """Needs user namespaces, and mount_setattr(2) of Linux 5.12; no rights. `start` raises `RoomError` without them."""

    kind = "isolated"

    def __init__(self, folder: Path, link: Link) -> None:
        self.folder = folder
        self._link = link
        self._limited: set[Path] = set()

    @classmethod
    async def start(cls, folder: Path) -> "IsolatedRooms":
        """Rooms that write below `folder` only; raises `RoomError`."""
        (folder / ".root").mkdir(exist_ok=True)
        rooms = cls(folder, await Link.start(cls.kind, folder))
        try:
            await rooms._link.ask("close", name="")  # answered when the network stands
        except RoomError:
            await rooms.close()
            raise
        return rooms

    async def open(self, room: RoomToOpen) -> "IsolatedRoom":
        """A set of namespaces with a cable to the others."""
        memory = [asdict(folder) for folder in room.memory]
        await self._link.ask(
            "open", name=room.name, hostname=room.hostname, address=room.address, memory=memory
        )
        return IsolatedRoom(self._link, room.name)

    async def limit(self, folder: Path, num_bytes: int) -> None:
        """Put a folder into memory of a size, or change that size."""
        await self._link.ask("limit", folder=str(folder), num_bytes=num_bytes)
        self._limited.add(folder)

    async def fill(self, folder: Path) -> None:
        """Shrink a limited folder to what it holds."""
        await self._link.ask("fill", folder=str(folder))

    def see(self, folder: Path) -> Path:
        """The folder itself, or, where it was put into memory, what the node sees there."""
        return Path(f"/proc/{self._link.node}/root{folder}") if folder in self._limited else folder

    async def close(self) -> None:
        """End the first process of the namespaces, and with it all others."""
        await self._link.close()


class IsolatedRoom:
    """The namespaces of one life of a pod."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self._name = name

    async def start(self, process: ProcessToStart) -> LinkedProcess:
        """Start a container, or a hook inside one."""
        variables, notes = name_own_interface(process.environment)
        order = asdict(replace(process, environment=variables))
        del order["literal"]
        return LinkedProcess(self._link, await self._link.ask("start", room=self._name, **order), notes)

    async def close(self) -> None:
        """Let go of the namespaces."""
        await self._link.ask("close", name=self._name)


def name_own_interface(environment: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The variables with the interface that a room has, where they name one that it has not; and notes of it.

    NCCL takes prefixes, `=` for whole names and `^` for what is not to be taken
    (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname).
    """
    strange = {
        name: value
        for name in NAMES_INTERFACE
        if (value := environment.get(name, "^")) and not _is_found(value)
    }
    notes = tuple(
        f"{name}: {value} became {INTERFACE}, the only one in a room" for name, value in strange.items()
    )
    return {**environment, **dict.fromkeys(strange, INTERFACE)}, notes


def _is_found(value: str) -> bool:
    return value.startswith("^") or any(
        INTERFACE.startswith(name.strip()) for name in value.removeprefix("=").split(",")
    )
