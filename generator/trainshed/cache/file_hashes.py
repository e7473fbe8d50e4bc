"""The hash of each file, and of those read before only if something says that they may be others now."""

import hashlib
import os
import time
from typing import TypeAlias

SETTLED_NS = 2 * 10**9
"""How long a file has to have stood still: within the coarsest clock of a file system an edit leaves no other time."""

_CHUNK_BYTES = 2**22
_PLAIN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


_Stamp: TypeAlias = tuple[int, int, int, int, int]
"""Device, inode, size, times of writing and of change: no edit leaves all of them as they are."""


class FileHashes:
    """SHA-256 of files by path, for as long as this process lives; threads may share it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Stamp, str]] = {}
        self._settled_ns = time.time_ns() - SETTLED_NS

    def hash(self, path: str, seen: dict[str, bytes] | None = None) -> str:
        """The hash of the file's bytes as they are now. Raises OSError where it cannot be read, or is a link.

        Leaves what is read in `seen`, by the path.
        """
        known = self._known.get(path)
        if known is not None and known[0] == _stamp(os.lstat(path)):
            return known[1]
        descriptor = os.open(path, _PLAIN)
        try:
            stamp = _, _, size, written_ns, changed_ns = _stamp(os.fstat(descriptor))
            asked = min(size + 1, _CHUNK_BYTES)
            chunk = os.read(descriptor, asked)
            digest, chunks = hashlib.sha256(chunk), [chunk]
            while len(chunk) == asked:  # a plain file that gives less is at its end
                chunk = os.read(descriptor, asked)
                digest.update(chunk)
                if seen is not None:
                    chunks.append(chunk)
        finally:
            os.close(descriptor)
        if seen is not None:
            seen[path] = b"".join(chunks)
        found = digest.hexdigest()
        if max(written_ns, changed_ns) < self._settled_ns:
            self._known[path] = stamp, found
        return found


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
