"""Snapshots of volumes: a schedule beside each claim, and the class that keeps them when their objects go."""

from collections.abc import Iterable, Iterator

from trainshed.compile.labels import MANAGED_BY
from trainshed.compile.platform.claims import KEPT, SNAPSHOTS_LABEL
from trainshed.model.cluster import Cluster, StorageClass
from trainshed.model.manifest import JsonObject
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster, VolumeClaim


def snapshot_class(storage: StorageClass) -> str:
    """The VolumeSnapshotClass that the storage's snapshots are of: the site's own, or ours."""
    return storage.snapshot_class or f"trainshed-{storage.name}"


def snapshot_classes(cluster: Cluster, teams: Iterable[TeamOnCluster]) -> Iterator[tuple[JsonObject, Source]]:
    """The classes of ours that some team's snapshots need."""
    named = {
        volume.storage.name: volume.storage
        for team in teams
        if team.cluster.name == cluster.name
        for volume in team.volumes.values()
        if volume.snapshots and not volume.storage.snapshot_class
    }
    for _, storage in sorted(named.items()):
        parameters = dict(storage.driver.snapshot_parameters or {})
        body: JsonObject = {
            "apiVersion": "snapshot.storage.k8s.io/v1",
            "kind": "VolumeSnapshotClass",
            "metadata": {
                "name": snapshot_class(storage),
                "labels": dict(MANAGED_BY),
                "annotations": dict(KEPT),
            },
            "driver": storage.driver.name,
            "deletionPolicy": "Retain",
            **({"parameters": parameters} if parameters else {}),
        }
        yield body, storage.source


def snapshot_schedule(volume: VolumeClaim, namespace: str, labels: dict[str, str]) -> Iterator[JsonObject]:
    """The schedule of a volume's snapshots, for its one claim; nothing where none are wanted."""
    if volume.snapshots is None:
        return
    yield {
        "apiVersion": "snapscheduler.backube/v1",
        "kind": "SnapshotSchedule",
        "metadata": {"name": volume.name, "namespace": namespace, "labels": labels},
        "spec": {
            "claimSelector": {"matchLabels": {SNAPSHOTS_LABEL: volume.name}},
            "retention": {"maxCount": volume.snapshots.keep},
            "schedule": " ".join(volume.snapshots.cron.split()),
            "snapshotTemplate": {
                "labels": dict(MANAGED_BY),
                "snapshotClassName": snapshot_class(volume.storage),
            },
        },
    }
