"""Replaces the generated tree whole or not at all.

New content is staged below `.trainshed` and synced; the rename of the journal is the commit point;
then each file is replaced. A crash before that point leaves the old tree, and after it the next
command finishes the work: every step of it may be repeated.
"""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings, error
from trainshed.model.naming import GENERATED
from trainshed.model.outcome import Outcome
from trainshed.model.source import Source
from trainshed.report.changes import Changes, folders_above, plan_changes
from trainshed.report.lock import PATIENCE_SECONDS, WORKSHOP, has_folder, hold_lock, open_workshop
from trainshed.report.refusal import RefusedError, explain_failure
from trainshed.report.replay import JOURNAL, STAGE, apply_journal, finish_leftovers
from trainshed.report.staging import stage_changes

_NOTHING_WRITTEN = "no generated file was touched"
_HALF_DONE = "the render is half done and the next command finishes it"


def commit_changes(root: Path, changes: Changes, patience_seconds: float = PATIENCE_SECONDS) -> Findings:
    """Makes the tree as `changes.wanted` says, for the selected files. Findings mean that it could not.

    The comparison is repeated under the lock, because another render may have written since. Waits
    `patience_seconds` for another render. No change writes nothing at all.
    """
    if changes.is_empty:
        return ()

    def commit() -> Findings:
        _require_writable(root, changes)
        with hold_lock(open_workshop(root), patience_seconds):
            finish_leftovers(root, changes.folders)
            fresh = plan_changes(root, changes.wanted, changes.folders, changes.selects)
            if fresh.value is not None and not fresh.value.is_empty:
                _replace_files(root, fresh.value)
            return fresh.findings

    return _explain_refusals(root, commit)


def recover(
    root: Path, folders: tuple[str, ...] = GENERATED, patience_seconds: float = PATIENCE_SECONDS
) -> Outcome[bool]:
    """Finishes, or clears away, what a crashed render left. True when files were replaced.

    Every command calls this before it reads the tree. Where nothing was left, nothing is touched.
    """
    recovered = False

    def finish() -> Findings:
        nonlocal recovered
        if has_folder(root, WORKSHOP) and any(os.path.lexists(root / name) for name in (JOURNAL, STAGE)):
            with hold_lock(root / WORKSHOP, patience_seconds):
                recovered = finish_leftovers(root, folders)
        return ()

    findings = _explain_refusals(root, finish)
    return Outcome(None if findings else recovered, findings)


def _replace_files(root: Path, changes: Changes) -> None:
    try:
        apply_journal(root, stage_changes(root, changes))
    except BaseException:
        # Ctrl-C included: before the commit point this clears the stage, after it the work is finished.
        finish_leftovers(root, changes.folders)
        raise


def _explain_refusals(root: Path, work: Callable[[], Findings]) -> Findings:
    try:
        return work()
    except RefusedError as refused:
        return (refused.finding,)
    except OSError as failure:
        consequence = _HALF_DONE if os.path.lexists(root / JOURNAL) else _NOTHING_WRITTEN
        return (explain_failure(root, failure, Code.UNWRITABLE_FILE, consequence),)


def _require_writable(root: Path, changes: Changes) -> None:
    """Asks beforehand, because after the commit point a refusal would leave the tree half done."""
    touched = folders_above(map(str, changes.written + changes.removed))
    for name in (".", *sorted(touched)):
        folder = root / name
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            raise RefusedError(
                error(
                    Code.UNWRITABLE_FILE,
                    Source(PurePosixPath(name)),
                    f"cannot write into the folder {name}",
                    f"{_NOTHING_WRITTEN}; make it writable for you, then run the command again",
                )
            )
