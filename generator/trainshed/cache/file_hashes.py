"""The hash of each file, and of those read before only if something says that they may be others now."""

import hashlib
import os
import time
from typing import NamedTuple

SETTLED_NS = 2 * 10**9
"""How long a file has to have stood still: within the coarsest clock of a file system an edit leaves no other time."""

_CHUNK_BYTES = 2**18
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class _Stamp(NamedTuple):
    """What no edit leaves as it is: the system sets the time of change, and no program can."""

    device: int
    inode: int
    num_bytes: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "_Stamp":
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


class FileHashes:
    """SHA-256 of files by path, for as long as this process lives; threads may share it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Stamp, str]] = {}

    def hash(self, path: str) -> str:
        """The hash of the file's bytes as they are now. Raises OSError where it cannot be read, or is a link."""
        known = self._known.get(path)
        if known is not None and known[0] == _Stamp.of(os.lstat(path)):
            return known[1]
        now = time.time_ns()
        descriptor = os.open(path, _PLAIN)
        try:
            stamp = _Stamp.of(os.fstat(descriptor))
            digest = hashlib.sha256(os.read(descriptor, _CHUNK_BYTES))
            while chunk := os.read(descriptor, _CHUNK_BYTES):
                digest.update(chunk)
        finally:
            os.close(descriptor)
        if max(stamp.modified_ns, stamp.changed_ns) < now - SETTLED_NS:
            self._known[path] = stamp, digest.hexdigest()
        return digest.hexdigest()
