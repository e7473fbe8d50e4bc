"""What a job keeps on the node itself: on its disk, which is asked for, or in its memory, which counts as the pod's."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Literal

from trainshed.model.codes import Code
from trainshed.model.spec.saving import LocalTier
from trainshed.model.spec.size import Scratch
from trainshed.model.spec.storage import Claim
from trainshed.resolve.claims import resolve_claim
from trainshed.resolve.draft import Draft
from trainshed.resolve.found import locate

LEAST_SIZE = "1Gi"
"""What stands in for a size that is missing, so that everything else is checked as well."""

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


def storage_class(draft: Draft, space: Scratch | LocalTier, what: str) -> str:
    """The StorageClass of space that is a volume; none on the node's own disk or in its memory."""
    if space.storage is None:
        return ""
    at = FIELDS[what]
    if space.medium is not None:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*at, "medium"),
            f"{what} with medium {space.medium} and storage {space.storage}",
            "keep one: a storage makes a volume, a medium is the node's own",
        )
    claim = Claim(storage=space.storage, size=space.size or LEAST_SIZE, access="rwo")
    resolved, findings = resolve_claim(at[-1], claim, draft.cluster, partial(locate, draft, at))
    draft.findings.extend(findings)
    return resolved.storage.storage_class if resolved else ""
