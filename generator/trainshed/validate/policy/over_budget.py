"""A run cannot use more GPU hours than its team's budget has for one."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.model.policy import gpu_hours_of
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.policy.reading.hours import describe_hours, gpu_hours
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at the deadline of each job that allows for more, or at the job that has none."""
    for target in view.running():
        budget = gpu_hours_of(Code.OVER_BUDGET, target.team.policy_layers)
        hours = gpu_hours(target)
        if budget is not None and (hours is None or hours > budget):
            yield from breach(
                view,
                target,
                Code.OVER_BUDGET,
                target.sources.find("deadline"),
                f'job "{target.job}" may take {describe_hours(hours)}, and the budget is {budget}',
                f"write a deadline that {target.max_gpus} GPUs can keep within it, or take fewer of them",
            )
