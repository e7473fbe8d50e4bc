"""The file system that a container sees: this machine, read-only, with the pod's mounts wherever they lie."""

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from trainshed.rehearse.rooms.node import kernel

OWN = ("proc", "run", "lost+found")
"""Top-level folders of this machine that no container sees: /run holds the sockets of what runs here."""
KEPT_OF_RUN = ("/run/current-system", "/run/opengl-driver")
"""Where NixOS keeps its programs and drivers."""
MOST_LINKS = 40


class NoPlaceError(Exception):
    """A mount cannot be put where it should be; the words say why."""


class Root:
    """A new root on memory, made of mounts only, so that nothing is written anywhere. `enter` ends the making."""

    def __init__(self, scratch: str) -> None:
        self._root = scratch
        self._opened = [scratch]
        kernel.mount("", "/", flags=kernel.PRIVATE | kernel.RECURSIVE)
        kernel.mount("root", scratch, "tmpfs", kernel.NO_SUID, "mode=755,size=16m")
        for name in os.listdir("/"):
            if name not in OWN:
                self._show(f"/{name}", name, scratch)
        kernel.set_read_only(scratch, True, whole_tree=True)
        kernel.set_read_only(scratch, False)
        for name in ("proc", "run"):
            os.mkdir(f"{scratch}/{name}")
        kernel.mount(
            "run", f"{scratch}/run", "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, "mode=755,size=64m"
        )
        for path in filter(os.path.exists, KEPT_OF_RUN):
            self.keep(path)

    def graft(self, mount: Mapping[str, Any]) -> None:
        """Put a volume where the container wants it; raises `NoPlaceError`."""
        with _Opened(mount["source"], mount["sub_path"]) as source:
            folder = stat.S_ISDIR(os.stat(source).st_mode)
            place = self._place(mount["path"], folder=folder)
            if folder != os.path.isdir(place):
                kinds = ("a folder", "a file") if folder else ("a file", "a folder")
                raise NoPlaceError(f"{mount['path']}: {kinds[0]} cannot be mounted over {kinds[1]}")
            kernel.mount(source, place, flags=kernel.BIND | kernel.RECURSIVE)
        if mount["read_only"]:
            kernel.set_read_only(place, True, whole_tree=True)

    def keep(self, path: str) -> None:
        """Have a folder of this machine at its own path, also where a mount hides it."""
        if os.path.exists(path) and not os.path.exists(self._root + self._resolve(path)):
            kernel.mount(path, place := self._place(path, folder=True), flags=kernel.BIND | kernel.RECURSIVE)
            kernel.set_read_only(place, True, whole_tree=True)

    def enter(self) -> None:
        """Make it the root of this process, with the processes of its own namespace at /proc."""
        quiet = kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_PROGRAMS
        kernel.mount("proc", f"{self._root}/proc", "proc", quiet)
        for path in self._opened:
            kernel.set_read_only(path, True)
        kernel.move_into(self._root)

    def _place(self, path: str, *, folder: bool) -> str:
        """Where a mount point lies in the new root; what is missing of it is made."""
        if ".." in path.split("/"):
            raise NoPlaceError(f"{path}: must not hold ..")
        parts = [part for part in self._resolve(path).split("/") if part]
        if not parts:
            raise NoPlaceError(f"{path}: nothing can be mounted there")
        place = self._root
        for position, part in enumerate(parts):
            place = f"{place}/{part}"
            if not os.path.lexists(place):
                self._make(place, folder=folder or position < len(parts) - 1)
        return place

    def _make(self, place: str, *, folder: bool) -> None:
        try:
            _make_point(place, folder=folder)
        except OSError:
            parent = os.path.dirname(place)
            if not os.path.isdir(parent):
                raise NoPlaceError(
                    f"{place.removeprefix(self._root)}: {parent.removeprefix(self._root)} is no folder"
                ) from None
            self._open(parent)
            _make_point(place, folder=folder)

    def _open(self, folder: str) -> None:
        """Put memory over a read-only folder, and show there what it held."""
        mode = stat.S_IMODE(os.stat(folder).st_mode)
        hidden = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            names = os.listdir(folder)
        except PermissionError:
            names = []
        kernel.mount("folder", folder, "tmpfs", kernel.NO_SUID, f"mode={mode | 0o500:o},size=16m")
        for name in names:
            self._show(f"/proc/self/fd/{hidden}/{name}", name, folder)
        os.close(hidden)
        self._opened.append(folder)

    def _show(self, path: str, name: str, folder: str) -> None:
        place = f"{folder}/{name}"
        if os.path.islink(path):
            os.symlink(os.readlink(path), place)
            return
        _make_point(place, folder=os.path.isdir(path))
        with suppress(OSError):  # what its owner alone may see (FUSE) is an empty place
            kernel.mount(path, place, flags=kernel.BIND | kernel.RECURSIVE)

    def _resolve(self, path: str) -> str:
        """A path of the new root without symbolic links; the part that does not exist stays as it is."""
        parts, resolved, links = path.split("/"), "", 0
        while parts:
            part = parts.pop(0)
            if part == "..":
                resolved = os.path.dirname(resolved).rstrip("/")
            elif part not in ("", "."):
                place = f"{self._root}{resolved}/{part}"
                if os.path.islink(place):
                    links += 1
                    if links > MOST_LINKS:
                        raise NoPlaceError(f"{path}: too many symbolic links")
                    target = os.readlink(place)
                    resolved = "" if target.startswith("/") else resolved
                    parts = target.split("/") + parts
                else:
                    resolved = f"{resolved}/{part}"
        return resolved or "/"


class _Opened:
    """A source, opened part by part so that no symbolic link that a pod has left leads out of its volume."""

    def __init__(self, source: str, sub_path: str) -> None:
        self._at = os.open(source, os.O_PATH)
        self._parts = [part for part in sub_path.split("/") if part not in ("", ".")]
        self._sub_path = sub_path

    def __enter__(self) -> str:
        for part in self._parts:
            self._descend(part)
        return f"/proc/self/fd/{self._at}"

    def __exit__(self, *error: object) -> None:
        os.close(self._at)

    def _descend(self, part: str) -> None:
        if part == "..":
            raise NoPlaceError(f"subPath {self._sub_path}: must not hold ..")
        try:
            if not _exists_in(self._at, part):
                os.mkdir(part, 0o777, dir_fd=self._at)
            inner = os.open(part, os.O_PATH | os.O_NOFOLLOW, dir_fd=self._at)
        except OSError as error:
            raise NoPlaceError(f"subPath {self._sub_path}: {part}: {error.strerror}") from None
        os.close(self._at)
        self._at = inner
        if stat.S_ISLNK(os.fstat(inner).st_mode):
            raise NoPlaceError(f"subPath {self._sub_path}: {part} is a symbolic link")


def _exists_in(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _make_point(place: str, *, folder: bool) -> None:
    if folder:
        os.mkdir(place)
    else:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))


def mounts_by_depth(mounts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Outer mounts first, so that one inside another is seen."""
    return sorted(mounts, key=lambda mount: (mount["path"].rstrip("/").count("/"), mount["path"]))
