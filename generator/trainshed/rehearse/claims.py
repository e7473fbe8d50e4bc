"""The claims of a rehearsal: folders that all its pods share, and what can be done to them."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from trainshed.model.rehearsal import PodToRun
from trainshed.rehearse.kubelet.volumes import claim_folder
from trainshed.rehearse.rooms.room import Rooms
from trainshed.rehearse.slowness import claims_of

FULL_BYTES = 256 * 2**20
"""What a claim holds that is to be filled: it lies in memory then."""


class ClaimFolders:
    """The folders of these claims, in these rooms."""

    def __init__(self, rooms: Rooms, claims: Iterable[str]) -> None:
        self._rooms = rooms
        self._claims = tuple(claims)

    async def limit(self, claim: str) -> None:
        """Let it hold `FULL_BYTES`, before any room is open. Raises RoomError where the rooms cannot."""
        folder = self._folder(claim)
        folder.mkdir(parents=True, exist_ok=True)
        await self._rooms.limit(folder, FULL_BYTES)

    def copy_into(self, claim: str, content: Path) -> None:
        """Let it hold a copy of a folder."""
        shutil.copytree(content, self._rooms.see(self._folder(claim)), dirs_exist_ok=True, symlinks=True)

    async def fill(self, claim: str) -> None:
        """Leave no byte free."""
        await self._rooms.fill(self._folder(claim))

    def num_bytes(self, claim: str) -> int:
        """What lies in it now; files that vanish meanwhile do not count."""
        total = 0
        for folder, _, names in os.walk(self._rooms.see(self._folder(claim))):
            for name in names:
                try:
                    total += os.lstat(os.path.join(folder, name)).st_size
                except OSError:
                    continue
        return total

    def seen(self) -> Mapping[str, Path]:
        """Where this process finds them."""
        return {claim: self._rooms.see(self._folder(claim)) for claim in self._claims}

    def _folder(self, claim: str) -> Path:
        return claim_folder(self._rooms.folder, claim)


def all_claims(pods: Iterable[PodToRun]) -> tuple[str, ...]:
    """Every claim that a pod mounts, each once."""
    return tuple(sorted({claim for pod in pods for claim in claims_of(pod)}))
