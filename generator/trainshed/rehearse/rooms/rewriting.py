"""A pod's words, made true on a machine where its paths and names mean nothing."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from trainshed.rehearse.rooms.room import Mount, ProcessToStart

HERE = "127.0.0.1"
LEFT_OUT = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
"""Variables that name an interface of the pod; this machine's are called otherwise."""
OUR_OWN = ("PATH", "TRAINSHED_PROGRESS")
"""Variables whose folders no manifest has named."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Paths of mounts to local folders, and names of pods and services to this machine. Longest words first.

    A word counts only where it stands for itself: `/data` in `/data/x` and `file:///data`, not in `/database` or
    `/x/data`; a name in `tcp://name:29500`, not as a part of a path or of another name.
    """

    paths: Mapping[str, str]
    names: frozenset[str]

    @classmethod
    def of(cls, mounts: Iterable[Mount], names: frozenset[str], keep: Iterable[str] = ()) -> "Rewriting":
        """What the mounts of a container and the names around it ask for. Folders to `keep` are this machine's own."""
        paths = {
            mount.path.rstrip("/"): str(PurePosixPath(mount.source) / mount.sub_path)
            for mount in mounts
            if mount.path.rstrip("/")
        }
        return cls(paths | {folder: folder for folder in keep}, names)

    def rewrite(self, text: str) -> str:
        """The text with every path and name of the pod replaced."""
        if self.paths:
            text = re.sub(
                rf"(?:(?<=://)|(?<![\w.\-/]))({_either(self.paths)})(?=/|$|[^\w.\-])",
                lambda match: self.paths[match[1]],
                text,
            )
        if self.names:
            text = re.sub(rf"(?:(?<=://)|(?<![\w.\-/]))({_either(self.names)})(?![\w\-/]|\.\w)", HERE, text)
            text = re.sub(rf"(?<=://)({_either(self.names)})(?=/)", HERE, text)
        return text

    def apply(self, process: ProcessToStart) -> tuple[tuple[str, ...], dict[str, str], str, tuple[str, ...]]:
        """Command, environment and working folder as they are here, and a note for each change."""
        command = tuple(self.rewrite(word) for word in process.command)
        environment = {
            name: value if name in process.literal else self.rewrite(value)
            for name, value in process.environment.items()
            if name not in LEFT_OUT
        }
        folder = self.rewrite(process.folder)
        notes = [
            f"{name}: {value} became {environment[name]}" if name in environment else f"{name} was left out"
            for name, value in process.environment.items()
            if environment.get(name) != value and name not in OUR_OWN
        ]
        notes += [
            f"{old} became {new}" for old, new in zip(process.command, command, strict=True) if old != new
        ]
        if folder != process.folder:
            notes.append(f"working folder {process.folder} became {folder}")
        return command, environment, folder, tuple(notes)


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
