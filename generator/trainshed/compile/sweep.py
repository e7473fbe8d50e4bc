"""The ConfigMap of a sweep: a file for each point, by its index."""

from trainshed.model.manifest import canonical_json
from trainshed.model.naming import content_name
from trainshed.model.plan import Target
from trainshed.model.sweep import Sweep


def point_file(index: int | str) -> str:
    """The file of a point, which is also its key."""
    return f"{index}.yaml"


def point_files(sweep: Sweep) -> dict[str, str]:
    """The parameters of every point. JSON is YAML."""
    return {point_file(index): text + "\n" for index, text in enumerate(sweep.points)}


def sweep_config_map(target: Target, sweep: Sweep) -> str:
    """The name of the ConfigMap, which says what is in it."""
    return content_name(target.job, "sweep", canonical_json(sweep.points).encode())
