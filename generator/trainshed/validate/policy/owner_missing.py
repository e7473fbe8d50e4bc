"""Somebody answers for a run, or for its team."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic
from trainshed.validate.policy.reading.breach import breach
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each job for which nobody is named."""
    for target in view.running():
        if not target.owner:
            yield from breach(
                view,
                target,
                Code.OWNER_MISSING,
                target.sources.find("owner"),
                f'nobody answers for job "{target.job}"',
                f'write owner: in the job, or in team "{target.team.name}"',
            )
