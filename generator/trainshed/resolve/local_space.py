"""What a job keeps on the node itself: on its disk, which is asked for, or in its memory, which counts as the pod's."""

from collections.abc import Iterator, Mapping
from typing import Literal

from trainshed.resolve.draft import Draft

FIELDS: Mapping[str, tuple[str, ...]] = {
    "scratch space": ("scratch",),
    "local checkpoints": ("checkpoint", "local"),
    "fetched data": ("data",),
}
"""What is kept there, and the field that asks for it."""


def kept_locally(draft: Draft, medium: Literal["disk", "memory"]) -> Iterator[tuple[str, str]]:
    """What is kept on the medium, by the words of FIELDS, and its size."""
    body = draft.body
    near = body.checkpoint.local if body.checkpoint else None
    for what, space in (("scratch space", body.scratch), ("local checkpoints", near)):
        if space and space.size and space.storage is None and (space.medium or "disk") == medium:
            yield what, space.size
    for data in (body.data or {}).values():
        if medium == "disk" and data and data.mode == "prefetch" and data.size:
            yield "fetched data", data.size
