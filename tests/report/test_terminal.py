"""Color and progress: on a terminal, and nowhere else unless asked for."""

import io
import os
import re
from collections.abc import Iterator
from typing import TextIO

import pytest

from trainshed.report.terminal import open_progress, use_color

TERMINAL = {"TERM": "xterm-256color"}


@pytest.fixture
def screen() -> Iterator[tuple[TextIO, int]]:
    """A terminal to write to, and the end to read what it shows from."""
    reading, writing = os.openpty()
    with os.fdopen(writing, "w") as stream:
        yield stream, reading
    os.close(reading)


@pytest.mark.parametrize(
    ("environment", "on_terminal", "in_pipe"),
    [
        (TERMINAL, True, False),
        ({"TERM": "dumb"}, False, False),
        (TERMINAL | {"NO_COLOR": "1"}, False, False),
        (TERMINAL | {"NO_COLOR": ""}, True, False),
        (TERMINAL | {"FORCE_COLOR": "1"}, True, True),
        (TERMINAL | {"FORCE_COLOR": ""}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        (TERMINAL | {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_color_follows_the_stream_and_the_environment(
    screen: tuple[TextIO, int], environment: dict[str, str], on_terminal: bool, in_pipe: bool
) -> None:
    assert use_color(screen[0], environment) is on_terminal
    assert use_color(io.StringIO(), environment) is in_pipe


def test_progress_shows_the_activity_and_takes_it_away(screen: tuple[TextIO, int]) -> None:
    stream, reading = screen
    with open_progress(stream, TERMINAL, patience_seconds=0) as progress:
        progress.show("hydrate", 3, 7)
        shown = ""
        while "3/7" not in shown:
            shown += os.read(reading, 65536).decode()
    shown += os.read(reading, 65536).decode()
    assert "hydrate" in shown
    assert re.search(r"\x1b\[2K\Z|\x1b\[2K[^\w]*\Z", shown)


def test_a_short_command_shows_no_progress(screen: tuple[TextIO, int]) -> None:
    stream, reading = screen
    with open_progress(stream, TERMINAL, patience_seconds=3600) as progress:
        progress.show("load")
    stream.write("done")
    stream.flush()
    assert os.read(reading, 65536) == b"done"


@pytest.mark.parametrize("environment", [TERMINAL, {"TERM": "dumb"}])
def test_progress_is_silent_in_a_pipe(environment: dict[str, str]) -> None:
    stream = io.StringIO()
    with open_progress(stream, environment, patience_seconds=0) as progress:
        progress.show("load", 1, 2)
    assert stream.getvalue() == ""
