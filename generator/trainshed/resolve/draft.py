"""A job's merged wishes on one cluster while they are being resolved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from trainshed.model.cluster import Cluster
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.model.inputs import SpecFile
from trainshed.model.provenance import Sources
from trainshed.model.source import Source
from trainshed.model.spec import TrainingJobSpec
from trainshed.model.spec.job import JobPart
from trainshed.model.team import TeamOnCluster


@dataclass(frozen=True, slots=True)
class Draft:
    """What every resolver of a job reads, and where it leaves its findings."""

    file: SpecFile[TrainingJobSpec]
    body: JobPart
    sources: Sources
    cluster: Cluster
    team: TeamOnCluster
    code: Mapping[PurePosixPath, bytes]
    findings: list[Diagnostic] = field(default_factory=list[Diagnostic])

    @property
    def name(self) -> str:
        """The job's name."""
        return self.file.spec.name

    @property
    def kind_field(self) -> tuple[str, ...]:
        """What decides the kind: the backend where it is written, else the framework."""
        return ("backend",) if self.sources.has("backend") else ("framework",)

    @property
    def size_field(self) -> tuple[str, ...]:
        """What decides how many pods there are: nodes where they are written, else roles."""
        return ("nodes",) if self.sources.has("nodes") else ("roles",)

    def source(self, *path: str | int) -> Source:
        """Where a field of the job was written, in whichever layer."""
        return self.sources.find(*path)

    def refuse(
        self,
        code: Code,
        path: tuple[str | int, ...],
        summary: str,
        detail: str = "",
        related: tuple[Related, ...] = (),
        severity: Severity = Severity.ERROR,
    ) -> None:
        """Leave a finding at the field."""
        self.findings.append(
            Diagnostic(
                code=code,
                severity=severity,
                summary=summary,
                source=self.source(*path),
                detail=detail,
                related=related,
            )
        )
