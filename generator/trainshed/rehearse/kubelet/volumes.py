"""The volumes of a pod as folders of the rehearsal, and where its containers see them."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import QuantityError, parse_quantity
from trainshed.rehearse.kubelet import files
from trainshed.rehearse.kubelet.expansion import expand
from trainshed.rehearse.kubelet.setting import ConfigError, PodFacts, Setting
from trainshed.rehearse.rooms.room import MemoryFolder, Mount

SHM = ".shm"
TMP = ".tmp"
SHM_BYTES = 64 << 20
"""What a container runtime gives /dev/shm where the pod mounts nothing there."""
OF_THE_KERNEL = ("/proc", "/sys")
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9.\-]{0,251}[a-z0-9])?")
_VOLUME_NAME = re.compile(r"[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?")

WRITERS: Mapping[str, Callable[[Path, JsonObject, Setting, PodFacts], None]] = {
    "configMap": files.write_config_map,
    "downwardAPI": files.write_fields,
    "projected": files.write_projected,
    "secret": files.write_secret,
}
"""The volumes that hold files which their kubelet writes; containers cannot."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A folder; `memory` is the bytes that it holds where it is one in memory, 0 where it is not."""

    folder: Path
    read_only: bool = False
    memory: int = 0


def claim_folder(rehearsal: Path, claim: str) -> Path:
    """Where a claim is kept for the whole rehearsal, shared by all pods; raises `ConfigError`."""
    if not _SUBDOMAIN.fullmatch(claim):
        raise ConfigError(f'"{claim}" is no name of a claim')
    return rehearsal / "claims" / claim


class Volumes:
    """Makes the volumes of one life of a pod; raises `ConfigError` for what a cluster would not mount either."""

    def __init__(self, facts: PodFacts, setting: Setting, rehearsal: Path) -> None:
        self._facts = facts
        self._setting = setting
        self._rehearsal = rehearsal
        self._volumes = {SHM: Volume(self._folder(SHM), memory=SHM_BYTES)}
        for volume in facts.spec.get("volumes") or ():
            name = str(volume.get("name", ""))
            if not _VOLUME_NAME.fullmatch(name) or name in self._volumes:
                raise ConfigError(f'"{name}" is no name of a volume, or the name of two')
            self._volumes[name] = self._make(name, volume)

    @property
    def memory(self) -> tuple[MemoryFolder, ...]:
        """The volumes that are memory."""
        return tuple(
            MemoryFolder(str(volume.folder), volume.memory)
            for volume in self._volumes.values()
            if volume.memory
        )

    def mounts_of(self, container: JsonObject, variables: Mapping[str, str], life: str) -> tuple[Mount, ...]:
        """The mounts of a container, /dev/shm and a /tmp of this life of it among them; raises `ConfigError`."""
        mounts = {"/dev/shm": Mount("/dev/shm", str(self._volumes[SHM].folder))}
        mounts["/tmp"] = Mount("/tmp", str(self._folder(f"{TMP}/{life}")))
        for path, folder in self._setting.local.items():
            mounts[path.rstrip("/")] = Mount(_mount_path(path), str(folder), read_only=True)
        for wanted in container.get("volumeMounts") or ():
            path = _mount_path(str(wanted.get("mountPath", "")))
            mounts[path] = self._mount(path, wanted, variables)
        return tuple(mounts.values())

    def _mount(self, path: str, wanted: JsonObject, variables: Mapping[str, str]) -> Mount:
        volume = self._volumes.get(str(wanted.get("name", "")))
        if volume is None:
            raise ConfigError(f'{path}: there is no volume "{wanted.get("name", "")}"')
        sub_path = str(wanted.get("subPath") or expand(str(wanted.get("subPathExpr") or ""), variables))
        if sub_path:
            sub_path = str(files.safe_path(sub_path))
        if sub_path and volume.read_only and not os.path.lexists(volume.folder / sub_path):
            raise ConfigError(f'{path}: the volume holds no "{sub_path}"')
        return Mount(path, str(volume.folder), sub_path, volume.read_only or bool(wanted.get("readOnly")))

    def _make(self, name: str, volume: JsonObject) -> Volume:
        kinds = [kind for kind in volume if kind != "name"]
        kind = kinds[0] if kinds else "emptyDir"
        source = volume.get(kind) or {}
        if kind == "persistentVolumeClaim":
            return self._claim(source)
        folder = self._folder(name)
        if kind in WRITERS:
            WRITERS[kind](folder, source, self._setting, self._facts)
            return Volume(folder, read_only=True)
        if kind == "emptyDir":
            return Volume(folder, memory=self._memory_of(name, source))
        if kind != "ephemeral":
            self._facts.note(f"volume {name}: {kind} is an empty folder here")
        return Volume(folder)

    def _memory_of(self, name: str, source: JsonObject) -> int:
        limit = source.get("sizeLimit")
        if source.get("medium") == "Memory":
            return self._memory_bytes(name, limit)
        if limit is not None:
            self._facts.note(f"volume {name}: nothing is evicted for holding more than its sizeLimit {limit}")
        return 0

    def _memory_bytes(self, name: str, limit: object) -> int:
        half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        if limit is None:
            return half
        try:
            wanted = int(parse_quantity(str(limit)))
        except QuantityError:
            raise ConfigError(f'volume {name}: sizeLimit "{limit}" is no quantity') from None
        if wanted > half:
            self._facts.note(f"volume {name}: sizeLimit {limit} is cut to half of this machine's memory")
        return max(min(wanted, half), 1)

    def _claim(self, source: JsonObject) -> Volume:
        folder = claim_folder(self._rehearsal, str(source.get("claimName", "")))
        folder.mkdir(parents=True, exist_ok=True)
        return Volume(folder, read_only=bool(source.get("readOnly")))

    def _folder(self, name: str) -> Path:
        folder = self._facts.folder / "volumes" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _mount_path(path: str) -> str:
    """A path where something may be mounted; raises `ConfigError`."""
    clean = "/" + path.strip("/")
    if ".." in clean.split("/") or ":" in clean or "\0" in clean or "//" in clean:
        raise ConfigError(f'mountPath "{path}" is no plain path')
    if clean == "/" or clean == "/dev" or any((clean + "/").startswith(f"{own}/") for own in OF_THE_KERNEL):
        raise ConfigError(f"mountPath {path}: a container cannot live with a volume there")
    return clean
