"""A policy that is not met: as grave as team and cluster say, and a note where the job is excused with a reason."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.plan import Target
from trainshed.model.policy import DEFAULTS, PolicySetting, severity_of
from trainshed.model.seal import soften
from trainshed.model.source import Source
from trainshed.validate.view import ClusterView, Member

WAIVED = "the waiver"
"""What a waived finding calls the line that excuses it."""


def breach(
    view: ClusterView, subject: Member | Target, rule: Code, source: Source, summary: str, detail: str
) -> Iterator[Diagnostic]:
    """The finding, if anybody asks for the rule. Of bare manifests nobody asks anything, so they are only warned."""
    severity = severity_of(rule, DEFAULTS[rule], layers_of(view, subject))
    if severity is not None:
        capped = severity if view.cluster or severity is not Severity.ERROR else Severity.WARNING
        finding = Diagnostic(code=rule, severity=capped, summary=summary, source=source, detail=detail)
        yield excuse(view, subject, rule, soften(finding) if _is_sealed(subject) else finding)


def is_asked(view: ClusterView, subject: Member | Target, rule: Code) -> bool:
    """Whether anybody asks for the rule."""
    return severity_of(rule, DEFAULTS[rule], layers_of(view, subject)) is not None


def _is_sealed(subject: Member | Target) -> bool:
    return isinstance(subject, Target) and subject.life.current is not None


def excuse(view: ClusterView, subject: Member | Target, rule: str, finding: Diagnostic) -> Diagnostic:
    """The finding, or a note in its place that says why it is waived."""
    target = subject if isinstance(subject, Target) else view.targets.get(subject.app)
    waiver = next((waiver for waiver in target.waivers if waiver.rule == rule), None) if target else None
    if waiver is None:
        return finding
    return replace(
        finding,
        severity=Severity.NOTE,
        detail=f"waived: {waiver.because}",
        related=(*finding.related, Related(waiver.source, WAIVED)),
    )


def layers_of(view: ClusterView, subject: Member | Target) -> Iterable[Mapping[str, PolicySetting]]:
    """Who says how much a rule matters: the team of the object, then its cluster."""
    if isinstance(subject, Target):
        return subject.team.policy_layers
    team = next(iter(view.owners(subject.namespace)), None)
    return team.policy_layers if team else (view.cluster.policies,) if view.cluster else ()
