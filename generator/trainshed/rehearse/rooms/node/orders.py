"""Carries out orders: opens rooms, starts processes in them, signals them. Both kinds of rooms know the same orders."""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from trainshed.rehearse.rooms.node import kernel, network
from trainshed.rehearse.rooms.node.container import start_in_room, start_inside, start_plain
from trainshed.rehearse.rooms.node.processes import descendants, marked, members, send

Order = Mapping[str, Any]
NAMESPACES_OF_A_ROOM = ("net", "uts", "ipc", "mnt")


class Orders(Protocol):
    """What a node does when it is told to; every order raises `OSError` or `StartError` where it cannot."""

    def open(self, order: Order) -> None:
        """Open a room by its name."""
        ...

    def start(self, order: Order) -> int:
        """Start a process in a room and give its number."""
        ...

    def signal(self, order: Order) -> None:
        """Signal a process, or everyone of its container."""
        ...

    def ended(self, process: int) -> None:
        """See to what a process has left behind."""
        ...

    def close(self, order: Order) -> None:
        """Close a room, after its processes have ended."""
        ...

    def limit(self, order: Order) -> None:
        """Limit the bytes that a folder holds."""
        ...

    def fill(self, order: Order) -> None:
        """Take what is free of a limited folder."""
        ...


class Isolated:
    """Rooms are sets of namespaces, which files of /proc that are held open here keep alive."""

    def __init__(self, folder: str) -> None:
        """Shut this machine's files, but for those of the rehearsal, against writing; raise the pods' network."""
        self._scratch = f"{folder}/.root"
        self._rooms: dict[str, dict[str, int]] = {}
        self._cables = 0
        kernel.mount("", "/", flags=kernel.PRIVATE | kernel.RECURSIVE)
        kernel.mount("proc", "/proc", "proc", kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_PROGRAMS)
        kernel.mount(folder, folder, flags=kernel.BIND | kernel.RECURSIVE)
        kernel.set_read_only("/", True, whole_tree=True)
        kernel.set_read_only(folder, False, whole_tree=True)
        kernel.set_read_only("/proc", False)
        os.chdir(folder)
        network.make_bridge()

    def open(self, order: Order) -> None:
        """A process makes the namespaces, is laid a cable to, and leaves once they are held open here."""
        settled, settling = os.pipe()
        cabled, cabling = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(settled)
            os.close(cabling)
            _settle(order, settling, cabled)
        os.close(settling)
        os.close(cabled)
        self._cables += 1
        try:
            _hear(settled)
            network.lay_cable(f"pod{self._cables}", process)
            os.write(cabling, b"1")
            _hear(settled)
            self._rooms[order["name"]] = {
                name: os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY) for name in NAMESPACES_OF_A_ROOM
            }
        finally:
            os.close(settled)
            os.close(cabling)
            os.waitpid(process, 0)

    def start(self, order: Order) -> int:
        """Start a container in its room, or a hook in the container of `inside`."""
        if order["inside"]:
            return start_inside(order)
        return start_in_room(order, self._rooms[order["room"]], self._scratch)

    def signal(self, order: Order) -> None:
        """To the first process of a container, or to all in its process namespace."""
        process = order["process"]
        send(members(process) if order["everyone"] else [process], order["signal"])

    def ended(self, process: int) -> None:
        """Nothing is left: the kernel has ended all processes of its namespace."""

    def close(self, order: Order) -> None:
        """Let go of the namespaces; the kernel ends what is in them."""
        for namespace in self._rooms.pop(order["name"], {}).values():
            os.close(namespace)

    def limit(self, order: Order) -> None:
        """Put a folder into memory of a size, or change that size."""
        options = f"mode=777,size={order['num_bytes']}"
        limited = os.path.ismount(order["folder"])
        kernel.mount("limit", order["folder"], "tmpfs", kernel.REMOUNT if limited else 0, options)

    def fill(self, order: Order) -> None:
        """Shrink a limited folder to what it holds."""
        if not os.path.ismount(order["folder"]):
            raise OSError(0, "has no limit that could be reached", order["folder"])
        room = os.statvfs(order["folder"])
        used = (room.f_blocks - room.f_bfree) * room.f_frsize
        self.limit({"folder": order["folder"], "num_bytes": max(used, room.f_frsize)})


class Plain:
    """Processes of this user; a room is only a name, and a mark in the environment tells who belongs to whom."""

    def __init__(self) -> None:
        self._marks: dict[int, str] = {}
        with suppress(OSError, AttributeError):  # another system than Linux
            kernel.adopt_orphans()

    def open(self, order: Order) -> None:
        """Nothing has to be made."""

    def start(self, order: Order) -> int:
        """Start a marked process."""
        name, value = "TRAINSHED_CONTAINER", f"{os.getpid()}-{len(self._marks)}"
        process = start_plain({**order, "environment": {**order["environment"], name: value}})
        self._marks[process] = f"{name}={value}"
        return process

    def signal(self, order: Order) -> None:
        """To a process, or to all that descend from it or bear its mark."""
        process = order["process"]
        send(self._family(process) if order["everyone"] else {process}, order["signal"])

    def ended(self, process: int) -> None:
        """End what has lost its container."""
        send(marked(self._marks[process]) if process in self._marks else (), signal.SIGKILL)

    def close(self, order: Order) -> None:
        """Nothing has to be given back."""

    def limit(self, order: Order) -> None:
        """Refused: it takes a file system of its own."""
        raise OSError(0, "plain rooms cannot limit a folder", order["folder"])

    fill = limit

    def end(self) -> None:
        """End all that was started and still runs."""
        everyone = {number for process in self._marks for number in self._family(process)}
        send((everyone | set(descendants(os.getpid()))) - {os.getpid()}, signal.SIGKILL)

    def _family(self, process: int) -> set[int]:
        return {*descendants(process), *marked(self._marks[process])}


def _settle(order: Order, settling: int, cabled: int) -> None:
    """In a process of its own: make a room's namespaces, furnish them, and leave once they are held open."""
    try:
        kernel.unshare(kernel.NEW_NETWORK | kernel.NEW_HOSTNAME | kernel.NEW_IPC | kernel.NEW_MOUNTS)
        kernel.set_hostname(order["hostname"])
        for folder in order["memory"]:
            kernel.mount("memory", folder["source"], "tmpfs", 0, f"mode=1777,size={folder['num_bytes']}")
        os.write(settling, b".")
        os.read(cabled, 1)
        network.set_up("lo")
        network.give_address("eth0", order["address"])
        network.set_up("eth0")
        Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").write_text("0")  # as container runtimes do
        os.write(settling, b".")
        os.read(cabled, 1)
    except OSError as error:
        os.write(settling, f"{error.filename}: {error.strerror}".encode())
    except Exception as error:  # a name that cannot be encoded, and its like
        os.write(settling, f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
    finally:
        os._exit(0)


def _hear(settled: int) -> None:
    words = os.read(settled, 4096)
    if words != b".":
        raise OSError(0, words.decode("utf-8", "replace") or "ended unheard", "room")
