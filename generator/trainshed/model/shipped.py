"""What trainshed brings along beside its code."""

from pathlib import Path

SHIPPED = (Path(__file__).parents[1] / "schemas", Path(__file__).parents[3] / "schemas")
"""Where schemas lie when the repository has none of its own: in the wheel, or beside the source."""
