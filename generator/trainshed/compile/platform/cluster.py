"""The apps of a cluster as a whole: a row each, and no app where there is nothing to say."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from trainshed.compile.platform.gpus import gpu_objects
from trainshed.compile.platform.kueue import queue_objects
from trainshed.compile.platform.monitoring import monitoring_objects
from trainshed.compile.platform.snapshots import snapshot_classes
from trainshed.compile.platform.volcano import volcano_queues
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.naming import GPUS_APP, MONITORING_APP, QUEUES_APP, STORAGE_APP
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster

Objects: TypeAlias = Iterable[tuple[JsonObject, Source]]
"""Objects, each with the line that asks for it."""


@dataclass(frozen=True, slots=True)
class ClusterApp:
    """An app of a cluster: its name, when Argo CD syncs it, and what is in it.

    `namespace` is one that Argo CD makes for it where nobody has.
    """

    name: str
    wave: str
    namespace: str
    objects: tuple[tuple[JsonObject, Source], ...]


BUILDERS: tuple[tuple[str, str, Callable[[Cluster, Iterable[TeamOnCluster]], Objects]], ...] = (
    (GPUS_APP, "gpus", gpu_objects),
    (QUEUES_APP, "queues", queue_objects),
    (QUEUES_APP, "queues", volcano_queues),
    (MONITORING_APP, "monitoring", monitoring_objects),
    (STORAGE_APP, "storage", snapshot_classes),
)
"""Name, wave, and what makes the objects; of those that share a name, a cluster has one."""


def cluster_apps(cluster: Cluster, teams: Iterable[TeamOnCluster]) -> Iterator[ClusterApp]:
    """The apps that the cluster has something for."""
    for name, wave, build in BUILDERS:
        objects = tuple(build(cluster, teams))
        if objects:
            monitored = cluster.monitoring if name == MONITORING_APP else None
            yield ClusterApp(name, wave, monitored.namespace if monitored else "", objects)
