"""A run ends some day: without a deadline one that hangs holds its GPUs until somebody looks."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each job without `deadline`."""
    for target in view.targets.values():
        if not target.deadline_seconds:
            yield from breach(
                view,
                target,
                Code.DEADLINE_MISSING,
                target.sources.find("deadline"),
                f'job "{target.job}" has no deadline',
                "write deadline: 8h, the longest that it may take",
            )
