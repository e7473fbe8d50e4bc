"""A plan on a terminal: the sentence, the runs that differ, and tables of queues with bars."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trainshed.model.asks import Level, Prognosis, Prospect
from trainshed.report.glyphs import count_columns, make_visible
from trainshed.report.plan.phrases import (
    ASSUMPTION,
    COLUMNS,
    Cell,
    QueueLevels,
    count_rest,
    say_asks,
    say_hours_of_run,
    split_groups,
    write_headline,
)

SHADES = {
    Prognosis.FITS: "green",
    Prognosis.BORROWS: "yellow",
    Prognosis.REDUCED: "yellow",
    Prognosis.WAITS: "yellow",
    Prognosis.NEVER: "red",
    Prognosis.UNKNOWN: "yellow",
    Prognosis.ENDS: "dim",
}
BAR_CELLS = 20
NUMBERS = range(2, len(COLUMNS))
CHANGE = 4
"""Where numbers stand in a row, and the difference."""

LEAST_BAR_CELLS = 8
GAP = 2

NARROWEST = 60


def format_text(prospect: Prospect, color: bool, columns: int) -> str:
    """For people at a terminal of so many columns; queues that stay as they are, are counted."""
    stream = StringIO()
    console = Console(
        file=stream,
        width=max(columns, NARROWEST),
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
    )
    console.print(Group(*_parts(prospect, console.width)))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _parts(prospect: Prospect, room: int) -> Iterator[RenderableType]:
    yield Text.assemble((write_headline(prospect), "bold"), (f"  since {_show(prospect.base)}", "dim"))
    yield Text(ASSUMPTION, "dim")
    if prospect.turns:
        yield Padding(_runs(prospect), (1, 0, 0, 0))
    shown, rest = split_groups(prospect)
    layout = _Layout.fitting([level for group in shown for level in group.levels], room)
    for group in shown:
        yield Padding(_title(group), (1, 0, 0, 0))
        yield _levels(group, layout)
    if rest:
        yield Padding(Text(count_rest(rest), "dim"), (1, 0, 0, 0))


def _runs(prospect: Prospect) -> RenderableType:
    lines: list[RenderableType] = []
    for turn in prospect.turns:
        ask, outlook = turn.ask, turn.outlook
        lines.append(
            Text.assemble(
                (f"{turn.turn.value:<9}", "cyan"),
                (_show(ask.identity.name), "bold"),
                (f"  {_show(ask.team or 'no team')} on {_show(ask.cluster)}", "dim"),
            )
        )
        hours = say_hours_of_run(turn)
        asked = f"{say_asks(turn)}{f'; {hours}' if hours else ''}"
        lines.append(Padding(Text(_show(asked)), (0, 0, 0, 9)))
        lines.append(Padding(Text(_show(outlook.sentence), SHADES[outlook.prognosis]), (0, 0, 0, 9)))
    return Group(*lines)


def _title(group: QueueLevels) -> Text:
    return Text.assemble(
        (_show(group.team or "no team"), "bold"),
        f" on {_show(group.cluster)}",
        (f"  {_show(group.title)}", "dim"),
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    """The columns that all tables have, so that they stand in line; bars are as wide as what is left."""

    columns: tuple[tuple[str, Cell], ...]
    widths: tuple[int, ...]
    bar: int

    @classmethod
    def fitting(cls, levels: Sequence[Level], room: int) -> "_Layout":
        """For a terminal of so many columns. Where that is narrow, bars go, and then the last columns."""
        widths = tuple(
            max(count_columns(_show(text)) for text in (name, *map(cell, levels))) for name, cell in COLUMNS
        )
        count = len(COLUMNS)
        while count > CHANGE + 1 and _sum(widths[:count]) > room:
            count -= 1
        left = room - _sum(widths[:count]) if count == len(COLUMNS) else 0
        return cls(COLUMNS[:count], widths[:count], min(left, BAR_CELLS) if left >= LEAST_BAR_CELLS else 0)


def _sum(widths: Sequence[int]) -> int:
    return sum(width + GAP for width in widths)


def _levels(group: QueueLevels, layout: _Layout) -> Table:
    table = Table(box=None, padding=(0, GAP, 0, 0), header_style="dim")
    for at, ((name, _), width) in enumerate(zip(layout.columns, layout.widths, strict=True)):
        table.add_column(name, justify="right" if at in NUMBERS else "left", no_wrap=True, width=width)
    table.add_column("", no_wrap=True)
    for level in group.levels:
        cells = [Text(_show(cell(level))) for _, cell in layout.columns]
        cells[CHANGE].stylize("bold")
        table.add_row(*cells, _bar(level, layout.bar), style=None if level.is_changed else "dim")
    return table


def _bar(level: Level, width: int) -> Text:
    """What is asked for of the most there is: within the queue's own, beyond it, and beyond all."""
    ceiling, nominal = level.ceiling[1], level.nominal[1]
    whole = max(ceiling or Fraction(0), level.after.most)
    if not whole or not width:
        return Text("")

    def cells(value: Fraction) -> int:
        return round(width * value / whole)

    most = cells(level.after.most)
    end = cells(ceiling) if ceiling is not None else width
    own = min(cells(nominal), end) if nominal is not None else end
    parts = [
        ("█" * min(most, own), "green"),
        ("▓" * (min(most, end) - min(most, own)), "yellow"),
        ("▒" * (most - min(most, end)), "red"),
        ("░" * (width - most), "dim"),
    ]
    return Text.assemble(*parts)


def _show(text: str) -> str:
    return make_visible(text)
