"""A file operation that the machine refused, told as a finding."""

import errno
import os
from pathlib import Path, PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.source import Source

_CODES = {
    errno.ENOSPC: Code.DISK_FULL,
    errno.EDQUOT: Code.DISK_FULL,
    errno.ELOOP: Code.SYMLINK,
    errno.ENOTDIR: Code.NOT_A_FOLDER,
    errno.EISDIR: Code.NOT_A_FILE,
}

_ADVICE = {
    Code.DISK_FULL: "free some space, then run the command again",
    Code.SYMLINK: "replace the link by a plain file or folder, then run the command again",
    Code.NOT_A_FOLDER: "move what stands there away, then run the command again",
    Code.NOT_A_FILE: "move the folder away, then run the command again",
    Code.UNREADABLE_FILE: "make it readable for you, then run the command again",
    Code.UNWRITABLE_FILE: "make it writable for you, then run the command again",
}


class RefusedError(Exception):
    """Ends the work on a tree inside this package; the public functions turn it into its finding."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.summary)
        self.finding = finding


def explain_failure(root: Path, failure: OSError, code: Code, consequence: str = "") -> Diagnostic:
    """The finding for an OSError that names its file. `code` stands where the errno says nothing better."""
    verb = "read" if code is Code.UNREADABLE_FILE else "write"
    code = _CODES.get(failure.errno or 0, code)
    path = _below_root(root, failure.filename)
    reason = (failure.strerror or "unknown reason").lower()
    advice = "; ".join(part for part in (consequence, _ADVICE[code]) if part)
    return error(code, Source(path), f"cannot {verb} {path}: {reason}", advice)


def _below_root(root: Path, name: object) -> PurePosixPath:
    text = os.fsdecode(name) if isinstance(name, str | bytes) else "."
    path = Path(text)
    return PurePosixPath(path.relative_to(root) if path.is_relative_to(root) else path)
