"""Which checkpoints stay: the last K and the best, and never nothing. Needs no torch."""

from __future__ import annotations

from collections.abc import Sequence

from trainshed_runtime.checkpoints import Checkpoint, find, has_all_files, remove, writer_of
from trainshed_runtime.fence import Fence
from trainshed_runtime.storage import Storage


def kept(checkpoints: Sequence[Checkpoint], last: int, best: int) -> set[str]:
    """The names of those to keep, of good checkpoints given newest first. Without a number to keep, all stay."""
    if not last and not best:
        return {one.name for one in checkpoints}
    measured = [one for one in checkpoints if one.metric is not None]
    by_metric = sorted(measured, key=lambda one: (one.metric, *(-number for number in one.age)))
    return {one.name for one in [*checkpoints[: max(last, 1)], *by_metric[:best]]}


def clean(storage: Storage, fence: Fence, last: int, best: int) -> None:
    """Remove what is not kept, and what older writers left behind. Only the newest writer may.

    A checkpoint with a missing or cut file counts as none of those to keep, and goes once a good one is newer.
    """
    fence.check()
    complete = find(storage).complete
    good = [one for one in complete if has_all_files(storage, one)]
    if not good:
        return
    keep = kept(good, last, best)
    counted = {one.name: one for one in complete}
    for name in storage.names():
        writer = writer_of(name)
        if writer is None or name in keep:
            continue
        is_leftover = name not in counted and writer.incarnation < fence.writer.incarnation
        is_old = name in counted and bool(last or best) and counted[name].age < good[0].age
        if is_leftover or is_old:
            remove(storage, name)
