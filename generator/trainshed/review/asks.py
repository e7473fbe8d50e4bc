"""What a change asks for: both sides in, resource by resource and run by run out."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction

from trainshed.model.asks import Ask, Hours, Outlook, Prognosis, Prospect, RunTurn, Side, Turn
from trainshed.model.codes import Code
from trainshed.model.gpus import is_gpu
from trainshed.model.plan import Plan
from trainshed.model.policy import gpu_hours_of
from trainshed.review.levels import measure_levels
from trainshed.review.outlook import Outlooks


def foresee(before: Side, after: Side, plan: Plan, base: str) -> Prospect:
    """What is asked for before and after, and what becomes of each run that differs."""
    budgets = {
        (team.cluster.name, team.name): hours
        for team in plan.teams
        if (hours := gpu_hours_of(Code.OVER_BUDGET, team.policy_layers)) is not None
    }
    return Prospect(
        base=base,
        levels=tuple(measure_levels(before, after, plan)),
        turns=tuple(_turns(before, after, budgets)),
        budgets=budgets,
    )


def _turns(before: Side, after: Side, budgets: Mapping[tuple[str, str], int]) -> Iterator[RunTurn]:
    were, outlooks = Outlooks.of(before), Outlooks.of(after)

    def differs(old: Ask, new: Ask) -> bool:
        return were.say(old).prognosis != outlooks.say(new).prognosis

    for turn, old, new in sorted(_pair(before, after, differs), key=_rank):
        ask = new or old
        assert ask is not None  # noqa: S101 - a pair has a side
        yield RunTurn(
            turn=turn,
            before=old,
            after=new,
            outlook=outlooks.say(new) if new else Outlook(Prognosis.ENDS, "gives back what it holds"),
            hours=gpu_hours(new) if new else Hours(),
            budget=budgets.get((ask.cluster, ask.team)),
        )


Pair = tuple[Turn, Ask | None, Ask | None]


def _rank(pair: Pair) -> tuple[str, str, str, str]:
    turn, old, new = pair
    ask = new or old
    assert ask is not None  # noqa: S101 - a pair has a side
    return ask.cluster, ask.team, ask.identity.name, turn


def _pair(before: Side, after: Side, differs: Callable[[Ask, Ask], bool]) -> Iterator[Pair]:
    """Runs that differ, or fare otherwise. What ends and what starts of one job on a cluster are one turn."""
    old, new = ({ask.key: ask for ask in side.asks} for side in (before, after))
    for key in old.keys() & new.keys():
        if _size(old[key]) != _size(new[key]):
            yield Turn.CHANGES, old[key], new[key]
        elif differs(old[key], new[key]):
            yield Turn.AFFECTED, old[key], new[key]
    ending = _by_job(ask for key, ask in old.items() if key not in new)
    starting = _by_job(ask for key, ask in new.items() if key not in old)
    for job in ending.keys() | starting.keys():
        gone, come = ending.get(job, []), starting.get(job, [])
        paired = min(len(gone), len(come)) if job[2] else 0
        yield from ((Turn.RESTARTS, gone[at], come[at]) for at in range(paired))
        yield from ((Turn.ENDS, ask, None) for ask in gone[paired:])
        yield from ((Turn.STARTS, None, ask) for ask in come[paired:])


def _size(ask: Ask) -> tuple[object, ...]:
    shares = frozenset((share.place.resource, share.least, share.most) for share in ask.shares)
    return shares, ask.queue, ask.seconds


def _by_job(asks: Iterable[Ask]) -> dict[tuple[str, str, str], list[Ask]]:
    grouped: defaultdict[tuple[str, str, str], list[Ask]] = defaultdict(list)
    for ask in asks:
        grouped[ask.cluster, ask.team, ask.job].append(ask)
    return grouped


def gpu_hours(ask: Ask) -> Hours:
    """All its GPUs until its deadline; none where it asks for none."""
    gpus = sum((share.most for share in ask.shares if is_gpu(share.place.resource)), Fraction(0))
    if not gpus:
        return Hours()
    return Hours().plus(None if ask.seconds is None else gpus * ask.seconds / 3600)
