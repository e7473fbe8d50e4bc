"""What the container printed last whose end was the run's: the first thing that a person wants to read."""

from collections.abc import Sequence
from pathlib import Path

from trainshed.model.rehearsal import Event, Happening
from trainshed.rehearse.mask import Mask

NUM_LINES = 6
_TAIL_BYTES = 8192
_ENDED_BY_OTHERS = frozenset({"0", "137", "143"})


def read_last_words(events: Sequence[Event], folder: Path, mask: Mask, witness: str = "") -> tuple[str, ...]:
    """A line that names the last container that failed by itself, and the last lines of its log below `folder`.

    A `witness` is the pod that knows why, however its container ended.
    """
    ends = [event for event in events if event.happening is Happening.ENDED and event.container]
    telling = [event for event in ends if event.pod == witness] or [
        event for event in ends if event.detail.get("exit_code", "0") not in _ENDED_BY_OTHERS
    ]
    if not telling:
        return ()
    last = telling[-1]
    logs = list(folder.glob(f"pods/{last.pod}.*/logs/{last.container}.log"))
    newest = max(logs, key=lambda path: path.stat().st_mtime, default=None)
    lines = [mask.hide(line) for line in _tail(newest)] if newest else []
    return (f"{last.pod}, {last.container}: {last.text}", *lines)


def _tail(path: Path) -> list[str]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        text = file.read().decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip()][-NUM_LINES:]
