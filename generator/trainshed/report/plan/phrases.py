"""Words that all formats of a plan share."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from trainshed.model.amounts import say_amount, say_number, unit_of
from trainshed.model.asks import Amount, Ask, Hours, Level, Prognosis, Prospect, RunTurn, Turn
from trainshed.model.gpus import is_gpu

ASSUMPTION = (
    "Every run that stands in Git asks at once: those that the change leaves alone come first, then the others by "
    "priority and name. Git does not know who has finished: a run counts until it is stopped or archived."
)
NOTHING_NEW = "Nothing more and nothing less is asked for."

TURNS: Mapping[Turn, tuple[str, str]] = {
    Turn.STARTS: ("starts", "start"),
    Turn.RESTARTS: ("restarts", "restart"),
    Turn.CHANGES: ("changes", "change"),
    Turn.ENDS: ("ends", "end"),
}
"""What is said of one run, and of several."""

WARNINGS: Mapping[Prognosis, tuple[str, str]] = {
    Prognosis.NEVER: ("can never be admitted", "can never be admitted"),
    Prognosis.WAITS: ("has to wait", "have to wait"),
    Prognosis.REDUCED: ("starts with fewer pods", "start with fewer pods"),
    Prognosis.BORROWS: ("fits only by borrowing", "fit only by borrowing"),
}

LEDGERS = {"kueue": "queue", "volcano": "Volcano queue", "pool": "nodes without a queue"}
OWN_WORDS = {"kueue": "nominal", "volcano": "deserved", "pool": "own"}
NO_FLAVOR = {"kueue": "no flavor", "volcano": "all pools", "pool": "no known pool"}
"""What stands in place of a flavor: Volcano counts over all of them, and what fits none has none."""

DASH = "–"


@dataclass(frozen=True, slots=True)
class QueueLevels:
    """What one team asks of one queue, or of pools where there is none."""

    cluster: str
    team: str
    queue: str
    ledger: str
    cohort: str
    levels: tuple[Level, ...]

    @property
    def is_changed(self) -> bool:
        """Whether anything of it is."""
        return any(level.is_changed for level in self.levels)

    @property
    def title(self) -> str:
        """`queue vision, cohort pool`."""
        name = f"{LEDGERS[self.ledger]} {self.queue}".rstrip()
        return f"{name}, cohort {self.cohort}" if self.cohort else name


def group_levels(levels: Iterable[Level]) -> list[QueueLevels]:
    """Queue by queue, in their order."""

    def key(level: Level) -> tuple[str, str, str, str]:
        return level.place.cluster, level.team, level.place.queue, level.ledger

    groups: list[QueueLevels] = []
    for (cluster, team, queue, ledger), found in groupby(levels, key=key):
        here = tuple(found)
        groups.append(QueueLevels(cluster, team, queue, ledger, here[0].cohort, here))
    return groups


def split_groups(prospect: Prospect) -> tuple[list[QueueLevels], list[QueueLevels]]:
    """The queues that are shown, and those that are only counted: where nothing changes, all are shown."""
    groups = group_levels(prospect.levels)
    if prospect.is_quiet:
        return groups, []
    touched = {(turn.ask.cluster, turn.ask.team, turn.ask.queue) for turn in prospect.turns}

    def shows(group: QueueLevels) -> bool:
        return group.is_changed or (group.cluster, group.team, group.queue) in touched

    return [group for group in groups if shows(group)], [group for group in groups if not shows(group)]


def write_headline(prospect: Prospect) -> str:
    """One sentence: how many runs, how many GPUs, and what becomes of them."""
    if prospect.is_quiet:
        return NOTHING_NEW
    turns = Counter(turn.turn for turn in prospect.turns)
    runs = ", ".join(_count(turns[turn], *words) for turn, words in TURNS.items() if turns[turn])
    parts = [runs, *_changes_of_gpus(prospect.levels)]
    outlooks = Counter(turn.outlook.prognosis for turn in prospect.turns)
    parts += [_count(outlooks[one], *words) for one, words in WARNINGS.items() if outlooks[one]]
    return "; ".join(filter(None, parts)) or "quotas change, and no run does"


def _count(number: int, one: str, several: str) -> str:
    return f"{number} run {one}" if number == 1 else f"{number} runs {several}"


def sum_changes(levels: Iterable[Level]) -> list[tuple[str, Fraction]]:
    """How many more GPUs are asked for in all, by resource; nothing for what stays."""
    sums: dict[str, Fraction] = {}
    for level in levels:
        if is_gpu(level.place.resource):
            more = level.after.most - level.before.most
            sums[level.place.resource] = sums.get(level.place.resource, Fraction(0)) + more
    return sorted((resource, more) for resource, more in sums.items() if more)


def _changes_of_gpus(levels: Iterable[Level]) -> list[str]:
    return [
        f"{say_amount(resource, abs(more))} {'more' if more > 0 else 'less'}"
        for resource, more in sum_changes(levels)
    ]


def flavor_of(level: Level) -> str:
    """The flavor or pool, with the accelerator where its name does not tell it."""
    name = level.place.flavor or NO_FLAVOR[level.ledger]
    return f"{name} ({level.accelerator})" if level.accelerator and level.accelerator not in name else name


def unit_of_level(level: Level) -> str:
    """What the numbers count."""
    return unit_of(level.place.resource)


def say_range(resource: str, amount: Amount) -> str:
    """`8`, or `8…16` of what moves between sizes."""
    most = say_number(resource, amount.most)
    return most if amount.least == amount.most else f"{say_number(resource, amount.least)}…{most}"


def say_change(level: Level) -> str:
    """The difference with its sign, or nothing; of the least where the most stays."""
    more = level.after.most - level.before.most or level.after.least - level.before.least
    return f"{'+' if more > 0 else '−'}{say_number(level.place.resource, abs(more))}" if more else ""


def say_limit(level: Level, pair: tuple[Fraction | None, Fraction | None]) -> str:
    """What there is, and what there was where that differs; a dash for no limit."""
    before, after = (DASH if value is None else say_number(level.place.resource, value) for value in pair)
    return after if before == after else f"{before} → {after}"


def say_hours(hours: Hours) -> str:
    """`96`, `96 + 2 endless`, `2 endless`."""
    number = f"{float(hours.until_deadlines):,.1f}".removesuffix(".0")
    if not hours.endless:
        return number
    return f"{number} + {hours.endless} endless" if hours.until_deadlines else f"{hours.endless} endless"


def say_hours_of_level(level: Level) -> str:
    """Before and after, or once where they are the same; nothing for what is no GPU."""
    if level.hours is None:
        return ""
    before, after = map(say_hours, level.hours)
    return after if before == after else f"{before} → {after}"


def say_hours_of_run(turn: RunTurn) -> str:
    """The run's own, and its team's budget where there is one; nothing for a run that ends or has no GPUs."""
    if not turn.hours.until_deadlines and not turn.hours.endless:
        return ""
    hours = "no deadline" if turn.hours.endless else f"{say_hours(turn.hours)} GPU hours"
    if turn.budget is None:
        return hours
    return f"{hours}, {'over the budget of' if turn.is_over_budget else 'budget'} {turn.budget:,}"


def say_turn(turn: RunTurn) -> str:
    """What happens to it: `starts`, `restarts, in place of resnet-3f2a9c01`."""
    if turn.turn is Turn.RESTARTS and turn.before:
        return f"{turn.turn}, in place of {turn.before.identity.name}"
    return "stays as it is" if turn.turn is Turn.AFFECTED else turn.turn.value


def say_asks(turn: RunTurn) -> str:
    """What a run asks for, GPUs first, before and after: `8 GPUs h100 → 24 GPUs h100`."""
    before, after = (_say_ask(ask) if ask else "" for ask in (turn.before, turn.after))
    if not before or before == after:
        return after
    return f"{before} → {after or 'nothing'}"


def _say_ask(ask: Ask) -> str:
    gpus = [share for share in ask.shares if is_gpu(share.place.resource)]
    hosts = [share for share in ask.shares if share.place.resource in ("cpu", "memory")]
    words: list[str] = []
    for share in gpus or hosts:
        resource = share.place.resource
        size = say_range(resource, Amount(share.least, share.most))
        where = f" {share.place.flavor}" if share.place.flavor and share.place.resource != "memory" else ""
        amount = say_amount(resource, share.most).split(" ", 1)[1]
        words.append(f"{size} {amount}{where}")
    return ", ".join(words) or "nothing that is counted"


def count_rest(rest: list[QueueLevels]) -> str:
    """`unchanged: 5 queues of 3 teams`."""
    teams = {group.team for group in rest}
    queues = "1 queue" if len(rest) == 1 else f"{len(rest)} queues"
    return f"as before: {queues} of {'1 team' if len(teams) == 1 else f'{len(teams)} teams'}"


Cell = Callable[[Level], str]
COLUMNS: tuple[tuple[str, Cell], ...] = (
    ("flavor", flavor_of),
    ("of", unit_of_level),
    ("before", lambda level: say_range(level.place.resource, level.before)),
    ("after", lambda level: say_range(level.place.resource, level.after)),
    ("change", say_change),
    ("own", lambda level: say_limit(level, level.nominal)),
    ("at most", lambda level: say_limit(level, level.ceiling)),
    ("GPU hours", say_hours_of_level),
)
"""The columns of a queue's table: what is asked before and after, what is the queue's own and the most it can hold."""
