"""The generated folders as they were when a command began."""

from collections.abc import Mapping, Set

from msgspec import Struct


class Snapshot(Struct, frozen=True):
    """Every file with its bytes, and every folder, by paths below the root; nothing else stood there."""

    files: Mapping[str, bytes]
    folders: Set[str]
