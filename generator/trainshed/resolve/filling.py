"""Who fills a volume: one that every job only reads must have been filled by somebody, or the run trains on nothing."""

from collections.abc import Iterable, Iterator, Mapping

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity, error
from trainshed.model.plan import Target
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import TeamOnCluster, VolumeClaim

BY_HAND = "hand"


def check_filling(
    targets: Iterable[Target], teams: Mapping[tuple[str, str], TeamOnCluster]
) -> Iterator[Diagnostic]:
    """A warning at each volume that is only read and that nothing fills; an error for one that no such job fills."""
    by_team: dict[tuple[str, str], list[Target]] = {key: [] for key in teams}
    for target in targets:
        by_team.setdefault((target.team.name, target.cluster.name), []).append(target)
    for key, team in teams.items():
        for volume in team.volumes.values():
            if volume.bucket is None:
                yield from _check(volume, by_team[key])


def _check(volume: VolumeClaim, targets: list[Target]) -> Iterator[Diagnostic]:
    mounts = [(target, mount) for target in targets for mount in target.mounts if mount.origin == volume.name]
    readers = [(target, mount) for target, mount in mounts if mount.kind == "claim" and mount.read_only]
    writers = {target.job for target, mount in mounts if mount.kind == "claim" and not mount.read_only}
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
