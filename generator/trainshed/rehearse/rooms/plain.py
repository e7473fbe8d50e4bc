"""Rooms without walls: processes of this user on this machine, with the pod's paths and names rewritten."""

import os
from dataclasses import asdict, replace
from pathlib import Path

from trainshed.rehearse.rooms.link import Link, LinkedProcess
from trainshed.rehearse.rooms.rewriting import Rewriting
from trainshed.rehearse.rooms.room import Mount, ProcessToStart, RoomError, RoomToOpen

DIFFERENCES = (
    "plain rooms: users, host names, read-only mounts, sizes of folders in memory and signals to process 1 "
    "are not those of a container; paths and names are rewritten in commands and variables, not inside of files"
)


class PlainRooms:
    """Works wherever Python does. Pods share this machine's network, so they share its ports."""

    kind = "plain"

    def __init__(self, folder: Path, link: Link) -> None:
        self.folder = folder
        self._link = link
        self._ports: dict[int, str] = {}

    @classmethod
    async def start(cls, folder: Path) -> "PlainRooms":
        """Rooms that keep their volumes below `folder`."""
        return cls(folder, await Link.start(cls.kind, folder))

    async def open(self, room: RoomToOpen) -> "PlainRoom":
        """A room is a name, and a table of what is rewritten in it."""
        shared = {port: self._ports.setdefault(port, room.name) for port in sorted(room.ports)}
        notes = tuple(
            f"port {port} is also that of {owner}, and plain rooms share one network: only one of them can have it"
            for port, owner in shared.items()
            if owner.rpartition(".")[0] != room.name.rpartition(".")[0]
        )
        return PlainRoom(self._link, room.names, self.folder, notes)

    async def limit(self, folder: Path, num_bytes: int) -> None:
        """Refused: that takes a file system of its own."""
        raise RoomError(f"{folder.name} cannot be limited to {num_bytes} bytes in plain rooms")

    async def fill(self, folder: Path) -> None:
        """Refused, as `limit` is."""
        raise RoomError(f"{folder.name} cannot be filled in plain rooms")

    def see(self, folder: Path) -> Path:
        """The folder itself."""
        return folder

    async def close(self) -> None:
        """End all processes that were started, and theirs."""
        await self._link.close()


class PlainRoom:
    """What one life of a pod shares: what its words become."""

    def __init__(self, link: Link, names: frozenset[str], folder: Path, notes: tuple[str, ...]) -> None:
        self._link = link
        self._names = names
        self._folder = folder
        self._notes = notes

    async def start(self, process: ProcessToStart) -> LinkedProcess:
        """Start a rewritten command; raises `RoomError`, also for a mount that leads out of its volume."""
        mounts = [replace(mount, source=str(self._source(mount)), sub_path="") for mount in process.mounts]
        command, environment, folder, notes = Rewriting.of(mounts, self._names, process.keep).apply(process)
        plan = replace(
            process,
            command=command,
            environment=environment,
            folder=folder,
            mounts=(),
            no_new_privileges=False,
        )
        order = asdict(plan)
        del order["literal"]
        number = await self._link.ask("start", room="", **order)
        said, self._notes = self._notes, ()
        return LinkedProcess(self._link, number, said + notes)

    async def close(self) -> None:
        """Nothing has to be given back."""

    def _source(self, mount: Mount) -> Path:
        source = Path(mount.source)
        inner = Path(os.path.normpath(source / mount.sub_path.lstrip("/")))
        if not inner.resolve().is_relative_to(source.resolve()):
            raise RoomError(f"subPath {mount.sub_path}: leads out of its volume")
        if not inner.exists() and source.is_dir() and inner.is_relative_to(self._folder):
            inner.mkdir(parents=True)
        return inner
