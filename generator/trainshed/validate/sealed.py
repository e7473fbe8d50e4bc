"""What is found about sealed objects: broken references at the line that broke them, everything else as notes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import TypeAlias

from msgspec.structs import replace

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.plan import Target
from trainshed.model.seal import MOST_TOLD, soften
from trainshed.model.source import Source

Broke: TypeAlias = Callable[[Target], Source]
"""Where the words stand that a run's objects lean on."""


def _team(*field: str) -> Broke:
    return lambda target: target.team.sources.find(*field)


def _team_here(field: str) -> Broke:
    return lambda target: target.team.sources.find("clusters", target.cluster.name, field)


def _cluster(field: str) -> Broke:
    return lambda target: target.cluster.sources.find(field)


BROKEN: Mapping[Code, tuple[Severity, Broke]] = {
    Code.NO_SUCH_NAMESPACE: (Severity.ERROR, _team("namespace")),
    Code.NO_SUCH_QUEUE: (Severity.ERROR, _team_here("quota")),
    Code.RESOURCE_UNCOVERED: (Severity.ERROR, _team_here("quota")),
    Code.NEVER_ADMITTED: (Severity.WARNING, _team_here("quota")),
    Code.NO_SUCH_PRIORITY_CLASS: (Severity.ERROR, _cluster("priorities")),
    Code.NO_SUCH_CLAIM: (Severity.ERROR, _team("volumes")),
    Code.CLAIM_ACCESS: (Severity.ERROR, _team("volumes")),
    Code.CLAIM_READ_ONLY: (Severity.ERROR, _team("volumes")),
    Code.NO_SUCH_CONFIG_MAP: (Severity.ERROR, _team("configMaps")),
    Code.NO_SUCH_SECRET: (Severity.ERROR, _team("secrets")),
    Code.NO_SUCH_SERVICE_ACCOUNT: (Severity.ERROR, _team("serviceAccounts")),
    Code.NO_SUCH_RUNTIME: (Severity.ERROR, _cluster("operators")),
    Code.PROJECT_FORBIDS: (Severity.ERROR, _cluster("operators")),
    Code.PORT_BLOCKED: (Severity.ERROR, _team("name")),
    Code.OBJECT_TWICE: (Severity.ERROR, _team("name")),
    Code.NAMES_COLLIDE: (Severity.ERROR, _team("name")),
}
"""What a sealed run leans on, and whose words took it away. A quota that was cut breaks only what still waits."""

MEND = "put it back; or stop the job (`state: stopped`), or archive its run once it has ended"

Sealed: TypeAlias = Mapping[PurePosixPath, tuple[Target, str]]
"""The job and the run that a sealed file belongs to."""


def sealed_files(targets: Iterable[Target]) -> Sealed:
    """Every sealed file that stands; a claim belongs to the run that stands now."""
    files: dict[PurePosixPath, tuple[Target, str]] = {}
    for target in targets:
        files |= dict.fromkeys(target.life.claims, (target, target.run))
        for run in reversed(target.life.standing):
            files |= dict.fromkeys(run.files, (target, run.seal.run))
    return files


def settle_sealed(findings: Iterable[Diagnostic], sealed: Sealed) -> Iterator[Diagnostic]:
    """The findings, those about a sealed file moved to the words that people wrote."""
    broken: dict[tuple[Code, Source], list[Diagnostic]] = {}
    for finding in findings:
        leaning = sealed.get(finding.source.path)
        if leaning is None:
            yield finding
        elif finding.code not in BROKEN:
            yield _soften(finding, leaning[0])
        else:
            moved = _blame(finding, *leaning)
            broken.setdefault((moved.code, moved.source), []).append(moved)
    for alike in broken.values():
        yield from _shorten(alike)


def _soften(finding: Diagnostic, target: Target) -> Diagnostic:
    detail = f"{finding.detail}\nin {finding.source.path}".strip()
    return soften(replace(finding, source=target.sources.find("name"), detail=detail))


def _blame(finding: Diagnostic, target: Target, run: str) -> Diagnostic:
    """The finding at the words that took away what the run leans on."""
    severity, broke = BROKEN[finding.code]
    leans = Related(target.sources.find("name"), f"{run} is sealed, and leans on it")
    return replace(
        finding,
        severity=severity,
        source=broke(target),
        detail=f"{MEND}\nin {finding.source.path}",
        related=(*finding.related, leans),
    )


def _shorten(alike: list[Diagnostic]) -> Iterator[Diagnostic]:
    """What the same words broke: the first few runs, and how many more there are."""
    *told, last = sorted(alike, key=lambda finding: (finding.sort_key, finding.detail))[:MOST_TOLD]
    runs = {finding.related[-1] for finding in alike}
    more = len(runs - {finding.related[-1] for finding in (*told, last)})
    count = f"\n{more} more sealed runs lean on it" if more > 0 else ""
    yield from (*told, replace(last, detail=last.detail + count))
