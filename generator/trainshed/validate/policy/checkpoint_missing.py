"""A run that would lose much saves checkpoints: a long one, or one whose nodes can be taken away."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.plan import Target
from trainshed.model.policy import LONG_RUN, gpu_hours_of
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.hours import describe_hours, gpu_hours
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each such job without `checkpoint`."""
    for target in view.running():
        reason = "" if target.checkpoint else _reason(target)
        if reason:
            yield from breach(
                view,
                target,
                Code.CHECKPOINT_MISSING,
                target.sources.find("checkpoint"),
                f'job "{target.job}" saves no checkpoint, and {reason}',
                "write checkpoint: {volume: …, every: 15m}",
            )


def _reason(target: Target) -> str:
    if any(pool.capacity == "spot" for group in target.groups for pool in group.pools):
        return "its nodes can be taken away"
    limit = gpu_hours_of(Code.CHECKPOINT_MISSING, target.team.policy_layers)
    hours = gpu_hours(target)
    too_long = hours is None or hours > (LONG_RUN if limit is None else limit)
    return f"may take {describe_hours(hours)}" if too_long else ""
