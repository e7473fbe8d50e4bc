"""What runs ask of queues and pools, what these have, and what becomes of each run there."""

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Literal

from msgspec import Struct

from trainshed.model.manifest import ObjectId

Ledger = Literal["kueue", "volcano", "pool"]
"""Who counts: a ClusterQueue of Kueue, a Queue of Volcano, or nobody but the scheduler, with the nodes of a pool."""


class Verdict(StrEnum):
    """What becomes of a run behind all that stand before it in its queue."""

    FITS = "fits"
    REDUCED = "reduced"
    """It starts with fewer pods than it asks for."""
    WAITS = "waits"
    NEVER = "never"


class Place(Struct, frozen=True, order=True):
    """Where a resource is asked for: a queue's flavor, or a pool. What no queue counts has an empty queue.

    Volcano counts a resource over all pools: its flavor is empty.
    """

    cluster: str
    queue: str
    flavor: str
    resource: str


class Share(Struct, frozen=True):
    """A part of what a run asks for: what its queue counts, and the least and the most that it runs with."""

    place: Place
    asked: Fraction
    least: Fraction
    most: Fraction


class Short(Struct, frozen=True):
    """A resource of which a run asks for more than is free."""

    place: Place
    asked: Fraction
    free: Fraction


class Ask(Struct, frozen=True):
    """One run's asks. `seconds` is its deadline, None where nothing ends it; `reason` is in its queue's words.

    `job` is empty for what no job of ours made.
    """

    cluster: str
    team: str
    job: str
    path: PurePosixPath
    identity: ObjectId
    ledger: Ledger
    queue: str
    shares: tuple[Share, ...]
    seconds: int | None
    verdict: Verdict
    reason: str = ""
    short: Short | None = None

    @property
    def key(self) -> tuple[str, ObjectId]:
        """What makes a run before and after one and the same."""
        return self.cluster, self.identity


class Quota(Struct, frozen=True):
    """What there is at a place: `nominal` is the queue's own, `ceiling` the most with what it may borrow.

    None is no limit, or a pool, which is nobody's own. `team` is empty where it is for all.
    """

    place: Place
    ledger: Ledger
    team: str
    cohort: str
    nominal: Fraction | None
    ceiling: Fraction | None


class Side(Struct, frozen=True):
    """All that is asked for at once, in the order in which the runs stand in line, and all there is."""

    asks: tuple[Ask, ...]
    quotas: tuple[Quota, ...]


class Amount(Struct, frozen=True):
    """What is asked for at a place: at least, and at most. They differ where a run is elastic."""

    least: Fraction = Fraction(0)
    most: Fraction = Fraction(0)

    def plus(self, share: Share) -> "Amount":
        """With one share more."""
        return Amount(self.least + share.least, self.most + share.most)


class Hours(Struct, frozen=True):
    """GPU hours until deadlines, and how many runs have none."""

    until_deadlines: Fraction = Fraction(0)
    endless: int = 0

    def plus(self, hours: Fraction | None) -> "Hours":
        """With one run more; None for one that nothing ends."""
        if hours is None:
            return Hours(self.until_deadlines, self.endless + 1)
        return Hours(self.until_deadlines + hours, self.endless)


class Level(Struct, frozen=True):
    """One resource at one place: what a team asks of it before and after, and what there is before and after.

    `accelerator` is the type of the machines there. `hours` are None for what is no GPU.
    """

    team: str
    place: Place
    ledger: Ledger
    cohort: str
    accelerator: str
    before: Amount
    after: Amount
    nominal: tuple[Fraction | None, Fraction | None]
    ceiling: tuple[Fraction | None, Fraction | None]
    hours: tuple[Hours, Hours] | None

    @property
    def is_changed(self) -> bool:
        """Whether more or less is asked for, or there is more or less of it."""
        moved = self.nominal[0] != self.nominal[1] or self.ceiling[0] != self.ceiling[1]
        return moved or self.before != self.after or bool(self.hours and self.hours[0] != self.hours[1])

    @property
    def is_over(self) -> bool:
        """Whether more is asked for at once than can ever be had."""
        return self.ceiling[1] is not None and self.after.most > self.ceiling[1]


class Turn(StrEnum):
    """What a change does to a run."""

    STARTS = "starts"
    RESTARTS = "restarts"
    """A run of the job ends, and another begins."""
    CHANGES = "changes"
    ENDS = "ends"
    AFFECTED = "affected"
    """It is as it was, and what becomes of it is not."""


class Prognosis(StrEnum):
    """What becomes of a run, in a word."""

    FITS = "fits"
    BORROWS = "borrows"
    """It takes more than its queue calls its own, which others may take back."""
    REDUCED = "reduced"
    WAITS = "waits"
    NEVER = "never"
    UNKNOWN = "unknown"
    ENDS = "ends"


class Outlook(Struct, frozen=True):
    """What becomes of a run, in a word and in a sentence."""

    prognosis: Prognosis
    sentence: str


class RunTurn(Struct, frozen=True):
    """One run that a change touches, before and after, and what becomes of it.

    `hours` are its GPU hours until the deadline, None without one; `budget` is what its team allows, None for no limit.
    """

    turn: Turn
    before: Ask | None
    after: Ask | None
    outlook: Outlook
    hours: Hours
    budget: int | None

    @property
    def ask(self) -> Ask:
        """The run as it will be; as it was, of one that ends."""
        ask = self.after or self.before
        assert ask is not None  # noqa: S101 - there is one side at least
        return ask

    @property
    def is_over_budget(self) -> bool:
        """Whether it may take more GPU hours than its team allows for one run."""
        over = self.budget is not None and self.hours.until_deadlines > self.budget
        return self.after is not None and (over or (self.budget is not None and self.hours.endless > 0))


class Prospect(Struct, frozen=True):
    """What a change asks for: resource by resource, and run by run. `base` is what it is compared with."""

    base: str
    levels: tuple[Level, ...]
    turns: tuple[RunTurn, ...]
    budgets: Mapping[tuple[str, str], int]

    @property
    def is_quiet(self) -> bool:
        """Whether nothing more or less is asked for."""
        return not self.turns and not any(level.is_changed for level in self.levels)
