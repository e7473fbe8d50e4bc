"""The live table: a line a pod, and the last words below. On a terminal only, and gone when the rehearsal is over."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import PodLine
from trainshed.report.glyphs import make_visible
from trainshed.report.rehearsal.board import Board, Row
from trainshed.report.rehearsal.phrases import say_seconds

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

SHOWN_ROWS = 20
REFRESH_SECONDS = 0.1
SHADES = {
    "running": "green",
    "succeeded": "green",
    "failed": "red",
    "kill": "bold red",
    "hang": "bold red",
    "reclaim": "bold yellow",
    "told to stop": "yellow",
    "starting": "cyan",
    "waiting": "dim",
    "deleted": "dim",
}

Hear = Callable[[Event], None]


class LiveTable(AbstractContextManager[Hear]):
    """Shows what it hears while it is open. `title` stands above the table."""

    def __init__(self, stream: TextIO, title: str, pods: Sequence[PodLine]) -> None:
        self._stream = stream
        self._title = title
        self._board = Board.of(pods)
        self._live: Live | None = None
        self._drawn = 0.0

    def __enter__(self) -> Hear:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream)
        self._live = Live(self._draw(), console=console, auto_refresh=False, transient=True)
        self._live.start()
        return self._hear

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the table away, also after an exception."""
        if self._live:
            self._live.stop()

    def _hear(self, event: Event) -> None:
        self._board.hear(event)
        if self._live and monotonic() - self._drawn >= REFRESH_SECONDS:
            self._drawn = monotonic()
            self._live.update(self._draw(), refresh=True)

    def _draw(self) -> "Group":
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for name, justify in (
            ("pod", "left"),
            ("state", "left"),
            ("step", "right"),
            ("saved", "right"),
            ("lives", "right"),
        ):
            table.add_column(name, justify="right" if justify == "right" else "left", no_wrap=True)
        for row in _chosen(list(self._board.rows.values())):
            table.add_row(
                make_visible(row.pod),
                Text(row.state, SHADES.get(row.state, "")),
                _number(row.step),
                _number(row.saved),
                _lives(row),
            )
        more = len(self._board.rows) - SHOWN_ROWS
        rest = [Text(f"and {more} more", "dim")] if more > 0 else []
        words = [Text(_say(event), "dim") for event in self._board.words]
        title = Text.assemble(
            (make_visible(self._title), "bold"), (f"  {say_seconds(self._board.at)}", "dim")
        )
        return Group(title, table, *rest, *words)


def _chosen(rows: list[Row]) -> list[Row]:
    """Of many pods those that something happens to."""
    if len(rows) <= SHOWN_ROWS:
        return rows
    calm = ("running", "succeeded", "waiting")
    eventful = sorted(rows, key=lambda row: row.state in calm)[:SHOWN_ROWS]
    return [row for row in rows if row in eventful]


def _number(value: int) -> str:
    return "" if value < 0 else f"{value:,}"


def _lives(row: Row) -> str:
    return f"{row.lives}{f' +{row.restarts}' if row.restarts else ''}" if row.lives else ""


def _say(event: Event) -> str:
    is_named = event.happening in (Happening.CREATED, Happening.TOLD)
    words = ", ".join(filter(None, (str(event.happening), event.text))) if is_named else event.text
    step = f" at step {event.step}" if event.step >= 0 else ""
    return make_visible(f"{event.at:6.1f} s  {event.pod:12}  {words or event.happening}{step}")
