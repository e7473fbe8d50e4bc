"""A plan as a comment on a pull request: the sentence, the runs that differ, a table a queue, the rest folded."""

from collections.abc import Iterable, Iterator

from trainshed.model.asks import Level, Prognosis, Prospect
from trainshed.report.plan.phrases import (
    ASSUMPTION,
    COLUMNS,
    QueueLevels,
    count_rest,
    say_asks,
    say_hours_of_run,
    say_turn,
    split_groups,
    write_headline,
)
from trainshed.report.review.escapes import plain

SIGNS = {
    Prognosis.FITS: "🟢",
    Prognosis.BORROWS: "🟡",
    Prognosis.REDUCED: "🟡",
    Prognosis.WAITS: "🟠",
    Prognosis.NEVER: "🔴",
    Prognosis.UNKNOWN: "⚪",
    Prognosis.ENDS: "⚫",
}

LIMIT_CHARACTERS = 65_536
"""What GitHub takes as the body of a comment."""

_TAIL = "\n_Cut here: the rest does not fit a comment._\n"


def format_markdown(prospect: Prospect) -> str:
    """As long as a comment may be; what does not fit is left out from the end, and says so."""
    shown, rest = split_groups(prospect)
    blocks = [
        f"### {plain(write_headline(prospect))}\n",
        f"_Since {plain(prospect.base)}. {ASSUMPTION}_\n",
        *([_runs(prospect)] if prospect.turns else []),
        *map(_queue, shown),
        *([_folded(rest)] if rest else []),
    ]
    text, room = "", LIMIT_CHARACTERS - len(_TAIL)
    for block in blocks:
        if len(text) + len(block) + 1 > room:
            return text + _TAIL
        text += ("\n" if text else "") + block
    return text


def _runs(prospect: Prospect) -> str:
    rows = [
        [
            f"{SIGNS[turn.outlook.prognosis]} {turn.outlook.prognosis}",
            f"**{plain(turn.ask.identity.name)}**<br>{plain(say_turn(turn))}",
            plain(f"{turn.ask.team} on {turn.ask.cluster}"),
            plain(say_asks(turn)),
            plain(say_hours_of_run(turn)),
            plain(turn.outlook.sentence),
        ]
        for turn in prospect.turns
    ]
    return "\n".join(_table(["", "run", "team", "asks for", "GPU hours", "what becomes of it"], rows)) + "\n"


def _queue(group: QueueLevels) -> str:
    title = f"**{plain(group.team or 'no team')}** on {plain(group.cluster)}, {plain(group.title)}"
    return "\n".join([title, "", *_levels(group.levels)]) + "\n"


def _folded(rest: list[QueueLevels]) -> str:
    inner = "\n".join(map(_queue, rest))
    return f"<details><summary>{plain(count_rest(rest))}</summary>\n\n{inner}\n</details>\n"


def _levels(levels: Iterable[Level]) -> Iterator[str]:
    rows = [[_cell(name, cell(level), level) for name, cell in COLUMNS] for level in levels]
    return _table([name for name, _ in COLUMNS], rows, numbers=range(2, len(COLUMNS)))


def _cell(name: str, text: str, level: Level) -> str:
    return f"**{plain(text)}**" if text and name in ("after", "change") and level.is_changed else plain(text)


def _table(names: list[str], rows: list[list[str]], numbers: Iterable[int] = ()) -> Iterator[str]:
    right = frozenset(numbers)
    yield f"| {' | '.join(names)} |"
    yield f"|{'|'.join('---:' if at in right else '---' for at in range(len(names)))}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
