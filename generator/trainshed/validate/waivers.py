"""Waivers that excuse a job from what it does not do: they are leftovers, and would hide the next mistake."""

from collections.abc import Iterable, Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity
from trainshed.model.plan import Target
from trainshed.validate.policy.reading.breach import WAIVED


def unused_waivers(targets: Iterable[Target], findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """A warning at each waiver of the jobs that no finding of any of their clusters was waived by.

    What is stopped or archived breaks no rule, and keeps its waivers for later.
    """
    used = {related.source for finding in findings for related in finding.related if related.text == WAIVED}
    running = (target for target in targets if not target.is_over)
    waivers = {waiver.source: (waiver, target) for target in running for waiver in target.waivers}
    for source, (waiver, target) in waivers.items():
        if source not in used:
            yield Diagnostic(
                code=Code.WAIVER_UNUSED,
                severity=Severity.WARNING,
                summary=f'job "{target.job}" is excused from {waiver.rule}, which it does not break',
                source=source,
                detail="take the waiver out: it would excuse the next mistake",
            )
