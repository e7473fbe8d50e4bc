"""What a team owns on disk and in buckets: claims, the volumes behind buckets, and schedules of snapshots."""

from collections.abc import Iterable, Iterator

from trainshed.compile.platform.claims import KEPT, claim, claim_origins
from trainshed.compile.platform.snapshots import snapshot_schedule
from trainshed.compile.platform.storage import bucket_origins, bucket_volume
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.team import TeamOnCluster


def volume_objects(
    team: TeamOnCluster, namespaces: Iterable[str], labels: dict[str, str]
) -> Iterator[tuple[JsonObject, Origins]]:
    """The team's volumes, a claim of its own in each namespace: pods can mount no claim of another."""
    metadata: JsonObject = {"labels": labels, "annotations": dict(KEPT)}
    for namespace in namespaces:
        for volume in team.volumes.values():
            for body in bucket_volume(team, volume, namespace, metadata):
                yield body, bucket_origins(volume)
            yield claim(volume, namespace, labels), claim_origins(volume)
            for body in snapshot_schedule(volume, namespace, labels):
                yield body, Origins(volume.fields["snapshots"])
