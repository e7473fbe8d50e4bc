"""Who fills a volume: one that every job only reads must have been filled by somebody, or the run trains on nothing.

In each of a team's namespaces a volume is a claim of its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity, error
from trainshed.model.plan import Target
from trainshed.model.pods import Mount
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import TeamOnCluster, VolumeClaim

Mounts: TypeAlias = list[tuple[Target, Mount]]

BY_HAND = "hand"


def check_filling(
    targets: Iterable[Target], teams: Mapping[tuple[str, str], TeamOnCluster]
) -> Iterator[Diagnostic]:
    """A warning where a volume is only read and nothing fills it; an error for one that no such job fills."""
    by_team: dict[tuple[str, str], list[Target]] = {key: [] for key in teams}
    for target in targets:
        by_team.setdefault((target.team.name, target.cluster.name), []).append(target)
    for key, team in teams.items():
        for volume in team.volumes.values():
            if volume.bucket is None:
                mounts = _find_mounts(volume, by_team[key])
                yield from _check(volume, mounts)
                yield from _check_apart(volume, mounts, team)


def _find_mounts(volume: VolumeClaim, targets: list[Target]) -> Mounts:
    return [
        (target, mount)
        for target in targets
        for mount in target.mounts
        if mount.origin == volume.name and mount.kind == "claim"
    ]


def _check_apart(volume: VolumeClaim, mounts: Mounts, team: TeamOnCluster) -> Iterator[Diagnostic]:
    """A warning where another namespace of the team reads the volume, and no job there writes to it."""
    filled = {team.namespace} | {target.namespace for target, mount in mounts if mount.is_writable_claim}
    for target, mount in mounts:
        if target.namespace not in filled:
            yield Diagnostic(
                code=Code.VOLUME_APART,
                severity=Severity.WARNING,
                summary=f'in {target.namespace} on {target.cluster.name} "{volume.name}" is a claim of its own, '
                "and nothing fills it there",
                source=target.sources.find(*mount.field, "volume"),
                detail="fill it by a job of that namespace that writes to it, before this one reads from it",
            )


def _check(volume: VolumeClaim, mounts: Mounts) -> Iterator[Diagnostic]:
    readers = [(target, mount) for target, mount in mounts if mount.read_only]
    writers = {target.job for target, mount in mounts if mount.is_writable_claim}
    filler = volume.filled_by
    if filler and filler != BY_HAND and filler not in writers:
        yield error(
            Code.CLAIM_EMPTY,
            volume.fields["filledBy"],
            f'volume "{volume.name}" is filled by "{filler}", and no job of that name writes to it here',
            did_you_mean(filler, [*writers, BY_HAND]) or "write the job, or filledBy: hand",
        )
    elif readers and not writers and not filler:
        target, mount = readers[0]
        yield Diagnostic(
            code=Code.CLAIM_EMPTY,
            severity=Severity.WARNING,
            summary=f'every job only reads volume "{volume.name}", and nothing says what fills it',
            source=target.sources.find(*mount.field),
            detail="write the job that fills it; or beside the volume filledBy: hand, where somebody copies the data",
            related=(Related(volume.source, f"{volume.name} is described here"),),
        )
