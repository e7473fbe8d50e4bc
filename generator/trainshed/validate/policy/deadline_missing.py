"""A run ends some day: without a deadline one that hangs holds its GPUs until somebody looks."""

from collections.abc import Iterator

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each job without `deadline`, but for Ray clusters, which have no end."""
    for target in view.running():
        if not target.deadline_seconds and target.backend is not Backend.RAYCLUSTER:
            yield from breach(
                view,
                target,
                Code.DEADLINE_MISSING,
                target.sources.find("deadline"),
                f'job "{target.job}" has no deadline',
                "write deadline: 8h, the longest that it may take",
            )
