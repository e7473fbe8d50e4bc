"""What runs ask for and what becomes of them, before and after a change: by the code that will decide in the cluster.

All runs that stand in Git ask at once. Those that are the same on both sides stand in line first, then the others, by
their priority and then by name: Git does not know who came first, nor who has finished.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from trainshed.engine.asks import stand_in_line
from trainshed.engine.client import Caller
from trainshed.model.asks import Side
from trainshed.model.files import Rendered
from trainshed.model.plan import Plan
from trainshed.validate.asks.gather import Gathered, gather
from trainshed.validate.asks.read import read_side
from trainshed.validate.asks.sides import read_members

__all__ = ["read_asks"]


def read_asks(
    plan: Plan,
    rendered: Rendered,
    base: Mapping[PurePosixPath, bytes],
    root: Path,
    engine: Caller,
    only: str | None = None,
) -> tuple[Side, Side]:
    """Both sides of a change, of all clusters or of one. `base` holds the files that the change is made upon.

    Raises BaseError where those cannot be read.
    """
    gathered: list[tuple[Gathered, Gathered]] = []
    for name, members in read_members(rendered, base, engine).items():
        if only in (None, name):
            after = gather(name, members.after, members.before, plan, root)
            same = members.before == members.after
            before = after if same else gather(name, members.before, members.after, plan, root)
            gathered.append((before, after))
    wanted = list({id(one): one for pair in gathered for one in pair}.values())
    lines = dict(
        zip(map(id, wanted), stand_in_line([one.gathering for one in wanted], engine=engine), strict=True)
    )
    sides = {id(one): read_side(one, lines[id(one)]) for one in wanted}
    return _join([sides[id(before)] for before, _ in gathered]), _join(
        [sides[id(after)] for _, after in gathered]
    )


def _join(sides: list[Side]) -> Side:
    return Side(
        tuple(ask for side in sides for ask in side.asks),
        tuple(quota for side in sides for quota in side.quotas),
    )
