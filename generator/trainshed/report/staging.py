"""Puts new content below `.trainshed` and makes it last, up to the commit point."""

import os
from pathlib import Path

from trainshed.report.changes import Changes
from trainshed.report.journal import Journal, encode_journal
from trainshed.report.lock import WORKSHOP
from trainshed.report.replay import JOURNAL, STAGE


def stage_changes(root: Path, changes: Changes) -> Journal:
    """Stages every file that is to be written, syncs, and commits to the journal. Raises OSError.

    The caller holds the lock and has cleared what an earlier render left.
    """
    stage = root / STAGE
    journal = Journal(tuple(map(str, changes.written)), tuple(map(str, changes.removed)))
    os.mkdir(stage, 0o755)
    for index, path in enumerate(changes.written):
        _write_new(f"{stage}/{index}", changes.wanted[path], meant_for=root / path)
    draft = f"{stage}/journal"
    _write_new(draft, encode_journal(journal), meant_for=root / JOURNAL)
    os.sync()
    os.replace(draft, root / JOURNAL)
    _sync_folder(root / WORKSHOP)
    return journal


def _write_new(name: str, content: bytes, meant_for: Path) -> None:
    """A failed write is told of the file that the content is meant for."""
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(file, rest) :]
    except OSError as failure:
        raise OSError(failure.errno, failure.strerror, str(meant_for)) from failure
    finally:
        os.close(file)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
