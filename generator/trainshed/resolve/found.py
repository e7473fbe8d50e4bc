"""What a job's mount may name: a volume of the team, a claim, or a claim of its own; each checked against its pods."""

from dataclasses import dataclass, field
from functools import partial

from trainshed.model.catalog import AccessMode
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Related, Severity
from trainshed.model.naming import claim_name
from trainshed.model.pods import MountKind
from trainshed.model.source import Source
from trainshed.model.spec.storage import Claim
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import VolumeClaim
from trainshed.resolve.claims import resolve_claim
from trainshed.resolve.draft import Draft

Field = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What is mounted: its kind, and what `Mount.origin` says."""

    kind: MountKind
    origin: str


@dataclass(frozen=True, slots=True)
class Mounting:
    """A job while its mounts are looked up: how many pods it has, whether it is privileged, and the claims it makes."""

    draft: Draft
    max_pods: int
    approved: bool
    claims: list[VolumeClaim] = field(default_factory=list[VolumeClaim])

    def volume(self, name: str, at: Field, *, writes: bool) -> Found | None:
        """The claim of a team's volume."""
        draft = self.draft
        volume = draft.team.volumes.get(name)
        if volume is None:
            draft.refuse(
                Code.UNKNOWN_VOLUME,
                at,
                f'team "{draft.team.name}" has no volume "{name}" on {draft.cluster.name}',
                did_you_mean(name, draft.team.volumes)
                or f"add it to the volumes in {draft.team.source.path}",
            )
            return None
        self._check_access(volume, at)
        if writes:
            self._check_writing(volume, at)
        return Found("readOnlyClaim" if volume.access == "rox" else "claim", volume.name)

    def claim(self, name: str, at: Field) -> Found | None:
        """A claim that somebody else made."""
        team = self.draft.team
        if name not in team.claims:
            self.draft.refuse(
                Code.UNKNOWN_CLAIM,
                at,
                f'team "{team.name}" declares no claim "{name}"',
                did_you_mean(name, team.claims)
                or f"add it to the claims in {team.source.path}, if it exists in namespace {team.namespace}",
            )
            return None
        return Found("claim", name)

    def create(self, name: str, claim: Claim, at: Field) -> Found | None:
        """A claim of the job's own."""
        made, findings = resolve_claim(
            claim_name(self.draft.name, name), claim, self.draft.cluster, partial(locate, self.draft, at)
        )
        self.draft.findings.extend(findings)
        if made is None:
            return None
        self.claims.append(made)
        self._check_access(made, at)
        return Found("claim", made.name)

    def _check_access(self, claim: VolumeClaim, at: Field) -> None:
        draft = self.draft
        if claim.access != "rwo" or self.max_pods == 1 or draft.cluster.num_nodes <= 1:
            return
        shared = [f'"{name}"' for name, volume in draft.team.volumes.items() if volume.access == "rwx"]
        able = [
            f'"{name}"'
            for name, storage in draft.cluster.storage.items()
            if AccessMode.READ_WRITE_MANY in storage.driver.access_modes and not storage.driver.static_only
        ]
        ways = [
            *([f"use a volume that many nodes can mount ({', '.join(shared)})"] if shared else []),
            *([f"make it anew on storage that they can (access: rwx on {', '.join(able)})"] if able else []),
            "run on one node",
        ]
        draft.refuse(
            Code.VOLUME_ACCESS,
            at,
            f'volume "{claim.name}" can be mounted by one node, this job has up to {self.max_pods}',
            ", or ".join(ways),
            related=(Related(claim.source, f"{claim.name} is described here"),),
        )

    def _check_writing(self, claim: VolumeClaim, at: Field) -> None:
        """Whether the job can write to it: nobody can to a bucket that is only read, and its owner to another."""
        draft = self.draft
        described = (Related(claim.fields["access"], f"{claim.name} is described here"),)
        if claim.access == "rox":
            draft.refuse(
                Code.VOLUME_ACCESS,
                at,
                f'volume "{claim.name}" can only be read',
                "write access: rwx where it is described, or use another volume",
                related=described,
            )
        run_as = draft.body.security.run_as if draft.body.security else None
        user = (run_as.user if run_as else None) or draft.team.user
        if claim.bucket is not None and draft.team.user is not None and user != draft.team.user:
            draft.refuse(
                Code.VOLUME_ACCESS,
                at,
                f'the files of bucket volume "{claim.name}" belong to user {draft.team.user}, this job is user {user}',
                "leave runAs out of the job, or write it into the team's defaults, which own the mount",
                related=described,
                severity=Severity.WARNING,
            )


def locate(draft: Draft, claim: Field, *fields: str) -> Source:
    """The first of the claim's fields that is written, else the claim itself."""
    written = (draft.source(*claim, field) for field in fields if draft.sources.has(*claim, field))
    return next(written, draft.source(*claim))
