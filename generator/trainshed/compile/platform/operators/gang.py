"""Which gang scheduler operators make PodGroups for, and how Volcano itself is set up."""

from collections.abc import Iterator, Mapping

from trainshed.catalog.installed import release_of
from trainshed.compile.platform.volcano import controller_config, scheduler_config
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import Cluster
from trainshed.model.queueing import GANG_OPERATORS

BATCH_SCHEDULERS: Mapping[str, tuple[str, str]] = {
    "volcano": ("volcano", "batch-scheduler-volcano"),
    "coscheduling": ("scheduler-plugins", "batch-scheduler-plugins"),
}
"""KubeRay's name for each gang scheduler, and the feature by which its releases know it."""


def gang_arguments(cluster: Cluster, release: OperatorRelease) -> list[str]:
    """The flag of an operator that makes PodGroups, with the name of the scheduler that reads them."""
    flag = release.settings.get("gang-scheduler-flag")
    scheduler = cluster.operators.get(GANG_OPERATORS.get(cluster.gang, ""))
    if not flag or cluster.gang not in BATCH_SCHEDULERS or scheduler is None:
        return []
    return [f"{flag}={release_of(scheduler).settings['scheduler-name']}"]


def batch_scheduler(cluster: Cluster, release: OperatorRelease) -> Iterator[tuple[str, object]]:
    """The chart's value that tells KubeRay, where its release knows the scheduler."""
    name, feature = BATCH_SCHEDULERS.get(cluster.gang, ("", ""))
    if name and release.can(feature):
        yield release.settings["scheduler-value"], name


def volcano_values(cluster: Cluster, release: OperatorRelease) -> Iterator[tuple[str, object]]:
    """The chart's values for the configurations of its scheduler and its controller."""
    yield release.settings["scheduler-config-value"], scheduler_config(cluster)
    if cluster.topology:
        yield release.settings["controller-config-value"], controller_config(cluster)
