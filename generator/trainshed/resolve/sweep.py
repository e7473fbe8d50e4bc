"""One job for many configurations: the points of a sweep, and what is wrong with them."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from trainshed.model.codes import Code
from trainshed.model.manifest import canonical_json
from trainshed.model.secrets import find_secret
from trainshed.model.spec.sweep import Sweep as WrittenSweep
from trainshed.model.sweep import Sweep
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import refuse_secret
from trainshed.resolve.layers import OWN_WORDS
from trainshed.resolve.objections import Objection, Weight

POINTS_MAX = 100_000
"""The most pods that a Job runs at once, and far more than a ConfigMap describes."""

CONFIG_MAP_BYTES = 1024 * 1024
"""The API server refuses a ConfigMap above 1 MiB."""

_Point = Mapping[str, Any]


def resolve_sweep(draft: Draft) -> Sweep | None:
    """The parameters of each point: those of the job, with the point's own over them."""
    written = draft.body.sweep
    if written is None:
        return None
    _check_choice(draft, written)
    number = _count(written)
    if number > POINTS_MAX:
        _too_large(draft, f"the sweep has {number} points, and a Job holds {POINTS_MAX}")
        return Sweep((), written.tolerate)
    if written.tolerate is not None and written.tolerate > number > 0:
        draft.refuse(
            Code.BAD_VALUE,
            ("sweep", "tolerate"),
            f"{written.tolerate} points may fail, and the sweep has {number}",
            "leave it out: all points are tried then",
        )
    _check_overlap(draft, written)
    return Sweep(_texts(draft, _points(written)), written.tolerate)


def _check_choice(draft: Draft, written: WrittenSweep) -> None:
    """A sweep says a grid or its points, and has at least one point."""
    if written.grid is not None and written.points is not None:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("sweep", "points"),
            "the sweep says a grid and points",
            f"keep one of them; the grid was written at {draft.source('sweep', 'grid')}",
        )
    elif not _count(written):
        empty = next((name for name, values in (written.grid or {}).items() if values == ()), None)
        draft.refuse(
            Code.MISSING_CHOICE,
            ("sweep", "grid", empty) if empty is not None else ("sweep",),
            "the sweep has no points",
            "write grid: {lr: [1e-4, 3e-4]}, or points: [{lr: 1e-4}, {lr: 3e-4}]",
        )


def _check_overlap(draft: Draft, written: WrittenSweep) -> None:
    """A parameter that the job itself gives a value, and every point another."""
    points = map(frozenset, written.points) if written.points is not None else (frozenset(_grid(written)),)
    for name in sorted(frozenset.intersection(*points, frozenset(draft.body.parameters or ()))):
        if draft.sources.layers.get(("parameters", name)) == OWN_WORDS:
            draft.refuse(
                Code.CONFLICTING_CHOICE,
                ("parameters", name),
                f"{name} has a value here, and another in every point of the sweep",
                "leave it out here",
            )


def _grid(written: WrittenSweep) -> dict[str, tuple[Any, ...]]:
    """Parameters by name, for the order in which they are written means nothing."""
    return {name: values for name, values in sorted((written.grid or {}).items()) if values is not None}


def count_points(draft: Draft) -> int:
    """How many points the job's sweep has; 0 without one."""
    return _count(draft.body.sweep) if draft.body.sweep else 0


def _count(written: WrittenSweep) -> int:
    """How many points there are, before any is made."""
    if written.points is not None:
        return len(written.points)
    grid = _grid(written)
    return prod(map(len, grid.values())) if grid else 0


def _points(written: WrittenSweep) -> Iterable[_Point]:
    """The points in the order of their indexes: of a grid, the last name's values change fastest."""
    if written.points is not None:
        return written.points
    grid = _grid(written)
    return (dict(zip(grid, values, strict=True)) for values in product(*grid.values()))


def _texts(draft: Draft, points: Iterable[_Point]) -> tuple[str, ...]:
    """Each point as JSON; none where a ConfigMap does not hold them all."""
    texts: list[str] = []
    size = 0
    for point in points:
        text = canonical_json({**(draft.body.parameters or {}), **point})
        size += len(text.encode()) + 1
        if size > CONFIG_MAP_BYTES:
            _too_large(draft, "the parameters of all points together are larger than 1 MiB")
            return ()
        texts.append(text)
    return tuple(texts)


def _too_large(draft: Draft, summary: str) -> None:
    field = "points" if draft.sources.has("sweep", "points") else "grid"
    draft.refuse(
        Code.SWEEP_TOO_LARGE,
        ("sweep", field),
        summary,
        "split it into several jobs, or let the program work out its values from its index",
    )


def check_sweep_secrets(draft: Draft) -> None:
    """Findings for credentials among the values of a sweep."""
    written = draft.body.sweep
    if written is None:
        return
    places: list[tuple[tuple[str | int, ...], Any]] = [
        (("sweep", "grid", name), values) for name, values in _grid(written).items()
    ]
    places += [(("sweep", "points", index), point) for index, point in enumerate(written.points or ())]
    for place, value in places:
        if find_secret(repr(value)):
            refuse_secret(draft, place, "the sweep holds a secret in clear")


def object_to_sweep(draft: Draft, *, several: bool) -> Iterator[Objection]:
    """The objection of every kind to points that would need several pods each."""
    if draft.body.sweep is not None and several:
        yield Objection(
            Weight.SHAPE,
            Code.BACKEND_CANNOT,
            draft.size_field,
            "each point of a sweep runs on one node, this job asks for several",
            "write nodes: 1 with more GPUs on it, or a job for each configuration",
        )
