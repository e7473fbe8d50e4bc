"""What the terminal wants: color or none, progress or silence."""

import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_PATIENCE_SECONDS = 0.5


def use_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to color text on this stream. `NO_COLOR` and `FORCE_COLOR` count unless empty.

    Sources: no-color.org, force-color.org.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return _is_capable(stream, environment)


class Progress(AbstractContextManager["Progress"], Protocol):
    """Tells a waiting person what is being done. Used as a context manager; leaves no trace on the screen."""

    def show(self, activity: str, done: int = 0, total: int | None = None) -> None:
        """Names the present activity, and how much of it is done where that can be counted."""
        ...


def open_progress(
    stream: TextIO, environment: Mapping[str, str], patience_seconds: float = _PATIENCE_SECONDS
) -> Progress:
    """Progress on a terminal, once it has taken longer than `patience_seconds`; silence anywhere else."""
    if _is_capable(stream, environment):
        return TerminalProgress(stream, patience_seconds)
    return SilentProgress()


class SilentProgress(Progress):
    """Says nothing."""

    def show(self, activity: str, done: int = 0, total: int | None = None) -> None:
        """Nothing to do."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to end."""


class TerminalProgress(Progress):
    """One line that vanishes in the end. A timer shows it, so that a short command never flickers."""

    def __init__(self, stream: TextIO, patience_seconds: float) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._timer = threading.Timer(patience_seconds, self._appear)
        self._timer.daemon = True
        self._state: tuple[str, int, int | None] = ("", 0, None)
        self._is_over = False
        self._screen: tuple[RichProgress, TaskID] | None = None

    def show(self, activity: str, done: int = 0, total: int | None = None) -> None:
        """Keeps the state until the line appears, and then shows it at once."""
        with self._lock:
            self._state = (activity, done, total)
            self._draw()

    def __enter__(self) -> "TerminalProgress":
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the line away, also after an exception."""
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._screen:
                self._screen[0].stop()
        self._timer.join()

    def _appear(self) -> None:
        # Rich takes 60 ms to import: only a command that is slow already pays for it.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as RichProgress

        with self._lock:
            if self._is_over:
                return
            progress = RichProgress(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=30),
                MofNCompleteColumn(),
                console=Console(file=self._stream),
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._screen = progress, progress.add_task("", total=None)
            progress.start()
            self._draw()

    def _draw(self) -> None:
        if self._screen:
            progress, task = self._screen
            activity, done, total = self._state
            progress.update(task, description=activity, completed=done, total=total, refresh=True)


def _is_capable(stream: TextIO, environment: Mapping[str, str]) -> bool:
    return stream.isatty() and environment.get("TERM") != "dumb"
