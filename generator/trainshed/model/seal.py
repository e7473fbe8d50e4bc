"""The record that a run was rendered. From then on its objects stay as they are, whatever else changes."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity, error
from trainshed.model.manifest import AppId
from trainshed.model.source import Source

DIGEST_VERSION = 1
"""The rule by which digests are taken (`resolve/digest.py`). Another rule is another version, and would name every run
anew."""

SEALS = "seals"
"""The folder of seals in an app's overlay; Kustomize builds nothing from it."""


class Ending(Struct, frozen=True, forbid_unknown_fields=True):
    """How a run ended, as its cluster told: `finished` in the cluster's words (RFC 3339), `why` in its controller's."""

    state: Literal["succeeded", "failed"]
    finished: str
    why: str


class Seal(Struct, frozen=True, forbid_unknown_fields=True):
    """One run of a job on one cluster.

    `files` and `claims` map names in the app's folder of `rendered/` to the SHA-256 of their bytes: what ends with the
    run, and the job's own claims, which outlive it. `shared` does so for the files of `overlays/<app>/base` that the
    run's overlay is built upon. `code` maps each code file, as it is mounted, to its SHA-256. `defaults` is a hash of
    everything that was said about the run, defaults included; `releases` are those that it was rendered for and by.
    `resealed` says why, for each time that the run was rendered anew under its name.
    """

    team: str
    job: str
    cluster: str
    run: str
    kind: str
    attempt: int
    digest: str
    digest_version: int
    lineage: str
    defaults: str
    files: Mapping[str, str]
    claims: Mapping[str, str] = field(default_factory=dict[str, str])
    shared: Mapping[str, str] = field(default_factory=dict[str, str])
    code: Mapping[str, str] = field(default_factory=dict[str, str])
    releases: Mapping[str, str] = field(default_factory=dict[str, str])
    stopped: bool = False
    resealed: tuple[str, ...] = ()
    outcome: Ending | None = None

    @property
    def stands(self) -> bool:
        """Whether the run's objects are in Git: it was neither stopped nor archived."""
        return not self.stopped and self.outcome is None


def seal_path(app: AppId, run: str) -> PurePosixPath:
    """Where the seal of a run lies: a file of its own, so that no two pull requests meet in it."""
    return PurePosixPath("overlays", app.app, app.cluster, SEALS, f"{run}.json")


def sealed_app(path: PurePosixPath) -> AppId | None:
    """The app whose seal a path names; None for other files."""
    parts = path.parts
    is_seal = len(parts) == 5 and parts[0] == "overlays" and parts[3] == SEALS and path.suffix == ".json"
    return AppId(parts[2], parts[1]) if is_seal else None


def hash_files(files: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """SHA-256 of each file, by its name, sorted."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files)}


class SealedRun(Struct, frozen=True):
    """A seal and the files it speaks of, by path, as far as they are what was sealed; `broken` are those that are not.

    `renewed` says that somebody has had it rendered anew since.
    """

    seal: Seal
    path: PurePosixPath
    files: Mapping[PurePosixPath, bytes]
    claims: Mapping[PurePosixPath, bytes]
    shared: Mapping[PurePosixPath, bytes]
    broken: tuple[PurePosixPath, ...] = ()
    renewed: bool = False


SealedRuns: TypeAlias = Mapping[AppId, tuple[SealedRun, ...]]
"""The sealed runs of each app on each cluster, by the name of the run."""


class Life(Struct, frozen=True):
    """What Git holds of a job on one cluster: what is rendered now, and what stays as it was.

    `current` is the sealed run that the spec still asks for, None where it is rendered now. `kept` are older runs that
    stand beside it. `ended` are the seals of runs that were stopped or archived: of those only the record stays, and of
    the one that the spec asks for the job's claims. `renewed` is what there was of a
    run that is rendered anew under its name.
    """

    renders: bool = True
    current: SealedRun | None = None
    kept: tuple[SealedRun, ...] = ()
    ended: tuple[SealedRun, ...] = ()
    renewed: SealedRun | None = None
    claims: Mapping[PurePosixPath, bytes] = field(default_factory=dict[PurePosixPath, bytes])

    @property
    def standing(self) -> tuple[SealedRun, ...]:
        """The sealed runs whose objects stay."""
        return (*((self.current,) if self.current else ()), *self.kept)

    @property
    def files(self) -> Mapping[PurePosixPath, bytes]:
        """Every sealed file that stays, by path."""
        return {path: content for run in self.standing for path, content in run.files.items()} | dict(
            self.claims
        )

    @property
    def seals(self) -> tuple[SealedRun, ...]:
        """Every seal that stays as it is."""
        return (*self.standing, *self.ended)


def refuse_change(path: PurePosixPath, run: str, base: str | None = None) -> Diagnostic:
    """The finding about a file of a sealed run that is not what was sealed, as `base` holds it."""
    return error(
        Code.SEALED_CHANGED,
        Source(path),
        f"{path.name} is not what was sealed: run {run} is rendered and stays as it is",
        f"`trainshed render --base {base or 'origin/main'}` puts it back; to change what is rendered write it in the "
        "job's spec, under `patches` where no field says it, which starts a new run",
    )


LATER = "the run is sealed and stays as it is: this counts at the job's next edit or attempt"


def soften(finding: Diagnostic) -> Diagnostic:
    """A finding about a run that is sealed: what today's words would say against it is no reason to fail."""
    if finding.severity is Severity.NOTE:
        return finding
    return replace(finding, severity=Severity.NOTE, detail=f"{finding.detail}\n{LATER}".strip())


MOST_TOLD = 3
"""How many notes of a code are told about sealed runs: two hundred of them fall behind a new rule together."""


def fold(findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings; of those that were softened the first of each code, and how many more there are."""
    softened: dict[Code, list[Diagnostic]] = {}
    for finding in findings:
        if finding.detail.endswith(LATER):
            softened.setdefault(finding.code, []).append(finding)
        else:
            yield finding
    for alike in softened.values():
        *told, last = sorted(alike, key=lambda finding: finding.sort_key)[:MOST_TOLD]
        more = len(alike) - MOST_TOLD
        count = f"\nso are {more} more of [{last.code}] about sealed runs" if more > 0 else ""
        yield from (*told, replace(last, detail=last.detail + count))
