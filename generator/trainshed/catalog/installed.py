"""The releases of operators that a cluster runs."""

from trainshed.catalog import operators
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import Cluster, InstalledOperator


def release_of(installed: InstalledOperator) -> OperatorRelease:
    """The catalogue's row of the release; of the newest one where the release is not known."""
    known = operators()[installed.name]
    return known.releases.get(installed.release, known.newest)


def release_on(cluster: Cluster, operator: str) -> OperatorRelease | None:
    """The release that a cluster runs of an operator; None where it has none, or one that is not known."""
    installed = cluster.operators.get(operator)
    return operators()[operator].releases.get(installed.release) if installed else None
