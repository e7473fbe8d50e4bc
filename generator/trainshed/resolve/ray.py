"""What only Ray has: how a cluster grows, and how long it stays."""

from collections.abc import Iterable

from trainshed.model.codes import Code
from trainshed.model.pods import PodGroup
from trainshed.model.ray import Autoscaler
from trainshed.resolve.draft import Draft

IDLE_SECONDS = 60
UPSCALING = {"default": "Default", "conservative": "Conservative", "aggressive": "Aggressive"}


def resolve_autoscaler(draft: Draft, groups: Iterable[PodGroup]) -> Autoscaler | None:
    """How a cluster grows whose workers are a range; nothing where they are not."""
    written = draft.body.autoscaler
    if all(group.min_pods == group.max_pods for group in groups):
        if written is not None:
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                ("autoscaler",),
                "the autoscaler has nothing to do: this job says how many workers it has",
                "write nodes: {min: 1, max: 4}, or leave autoscaler out",
            )
        return None
    if written is None:
        return Autoscaler(IDLE_SECONDS, "", "")
    idle = IDLE_SECONDS if written.idle_timeout is None else written.idle_timeout
    return Autoscaler(idle, UPSCALING.get(written.upscaling or "", ""), written.version or "")
