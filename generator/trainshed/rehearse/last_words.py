"""What the container printed last whose end was the run's: the first thing that a person wants to read."""

from collections.abc import Sequence
from pathlib import Path

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.secrets import hide_secrets

NUM_LINES = 6
_TAIL_BYTES = 8192
_ENDED_BY_OTHERS = frozenset({"0", "137", "143"})


def read_last_words(events: Sequence[Event], folder: Path) -> tuple[str, ...]:
    """A line that names the last container that failed by itself, and the last lines of its log below `folder`."""
    failed = [
        event
        for event in events
        if event.happening is Happening.ENDED
        and event.container
        and event.detail.get("exit_code", "0") not in _ENDED_BY_OTHERS
    ]
    if not failed:
        return ()
    last = failed[-1]
    logs = list(folder.glob(f"pods/{last.pod}.*/logs/{last.container}.log"))
    newest = max(logs, key=lambda path: path.stat().st_mtime, default=None)
    lines = _tail(newest) if newest else []
    return (f"{last.pod}, {last.container}: {last.text}", *lines)


def _tail(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        text = file.read().decode("utf-8", "replace")
    return [hide_secrets(line) for line in text.splitlines() if line.strip()][-NUM_LINES:]
