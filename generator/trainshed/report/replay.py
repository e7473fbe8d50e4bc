"""Does what a journal promises. Every step may be repeated, so a crash only means: once more."""

import os
import shutil
import stat
from pathlib import Path, PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import error
from trainshed.model.source import Source
from trainshed.report.changes import folders_above
from trainshed.report.journal import Journal, decode_journal
from trainshed.report.lock import WORKSHOP, has_folder
from trainshed.report.refusal import RefusedError
from trainshed.report.tree import read_start

STAGE = f"{WORKSHOP}/stage"
JOURNAL = f"{WORKSHOP}/journal"
_JOURNAL_BYTES = 64 * 1024 * 1024


def apply_journal(root: Path, journal: Journal) -> None:
    """Moves the staged files to their places, removes the others, and drops the journal.

    Raises OSError, and RefusedError where a link or a file stands on the way; the journal then stays.
    """
    above = sorted(folders_above(journal.writes + journal.removals))
    existing = {folder for folder in above if has_folder(root, folder)}
    for folder in sorted(folders_above(journal.writes) - existing):
        os.mkdir(root / folder, 0o755)
    if has_folder(root, STAGE):
        for index, path in enumerate(journal.writes):
            _move_staged(f"{root}/{STAGE}/{index}", f"{root}/{path}")
    for path in journal.removals:
        (root / path).unlink(missing_ok=True)
    for folder in sorted(folders_above(journal.removals) & existing, reverse=True):
        _remove_if_empty(root / folder)
    os.unlink(root / JOURNAL)
    _clear_stage(root)


def finish_leftovers(root: Path, folders: tuple[str, ...]) -> bool:
    """Rolls a journal forward, or clears a stage that never got one. True when there was a journal."""
    journal = _read_journal(root, folders)
    if journal is None:
        _clear_stage(root)
        return False
    apply_journal(root, journal)
    return True


def _clear_stage(root: Path) -> None:
    if has_folder(root, STAGE):
        shutil.rmtree(root / STAGE)


def _read_journal(root: Path, folders: tuple[str, ...]) -> Journal | None:
    try:
        content = read_start(root / JOURNAL, _JOURNAL_BYTES)
    except FileNotFoundError:
        return None
    journal = decode_journal(content, folders)
    if journal is None:
        raise RefusedError(
            error(
                Code.BROKEN_JOURNAL,
                Source(PurePosixPath(JOURNAL)),
                f"{JOURNAL} is not a journal of this release",
                f"no generated file was touched; delete {WORKSHOP}, then run `trainshed render`",
            )
        )
    return journal


def _move_staged(staged: str, target: str) -> None:
    """A staged file that is gone was moved before a crash."""
    try:
        mode = os.lstat(staged).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISREG(mode):
        os.replace(staged, target)


def _remove_if_empty(folder: Path) -> None:
    with os.scandir(folder) as entries:
        is_empty = next(entries, None) is None
    if is_empty:
        os.rmdir(folder)
