"""One job for many configurations."""

from typing import Annotated, Any

from pydantic import Field, Strict

from trainshed.model.spec.scalars import Count
from trainshed.model.spec.written import Lift, Written


class Parallel(Written):
    """How many points run at once."""

    max: Count | None = None
    """The most; all of them unless said otherwise."""
    min: Count | None = None
    """The fewest that the queue may start with where there is no room for the most."""


class Sweep(Written):
    """One job for many configurations, called points: each runs by itself, on one node."""

    grid: dict[str, Annotated[tuple[Any, ...], Strict(False)] | None] | None = None
    """Parameters and the values of each; every combination is a point: {lr: [1e-4, 3e-4], batch: [64, 128]}."""
    points: Annotated[tuple[dict[str, Any], ...], Strict(False)] | None = None
    """The configurations themselves, in place of a grid: [{lr: 1e-4, batch: 64}, {lr: 3e-4, batch: 128}]."""
    parallel: Annotated[Parallel | None, Lift(("max",), ("integer",))] = None
    """How many points run at once: 8, or {min: 2, max: 8} to start with fewer where the queue has no room."""
    tolerate: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """How many points may fail before the rest is given up; without it all are tried."""
