"""The release of an operator that a cluster runs."""

from trainshed.catalog import operators
from trainshed.model.catalog import OperatorRelease
from trainshed.model.cluster import InstalledOperator


def release_of(installed: InstalledOperator) -> OperatorRelease:
    """The catalogue's row of the release; of the newest one where the release is not known."""
    known = operators()[installed.name]
    return known.releases.get(installed.release, known.newest)
