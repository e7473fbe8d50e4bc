"""Which trainshed this is, and what it brings along beside its code."""

from pathlib import Path

SHIPPED = (Path(__file__).parents[1] / "schemas", Path(__file__).parents[3] / "schemas")
"""Where schemas lie when the repository has none of its own: in the wheel, or beside the source."""

RUNTIME = "trainshed_runtime"
SHIPPED_RUNTIME = (
    Path(__file__).parents[1] / RUNTIME,
    Path(__file__).parents[3] / "generator" / "runtime" / RUNTIME,
)
"""Where the training runtime lies that runs carry: in the wheel, or beside the source."""


def own_release() -> str:
    """The release of trainshed that is installed."""
    from importlib.metadata import version  # takes long to import, and little that a check finds needs it

    return version("trainshed")
