"""What is known of each pod from the events so far: the rows of the live table."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import PodLine

STATES = {
    Happening.CREATED: "starting",
    Happening.STARTED: "running",
    Happening.RESTARTED: "running",
    Happening.TOLD: "told to stop",
}
"""What a pod is after these. Faults and ends bring words of their own."""

QUIET = frozenset({Happening.STEP, Happening.STARTED, Happening.READY, Happening.SAVED, Happening.NOTE})
"""Too many of them to be told one by one."""

SHOWN_WORDS = 6


@dataclass(slots=True)
class Row:
    """A pod as it is now."""

    pod: str
    state: str = "waiting"
    step: int = -1
    saved: int = -1
    lives: int = 0
    restarts: int = 0
    has_failed: bool = False


@dataclass(slots=True)
class Board:
    """Rows in the order of the pods, and the last things worth a word."""

    rows: dict[str, Row]
    words: "deque[Event]" = field(default_factory=lambda: deque[Event](maxlen=SHOWN_WORDS))
    at: float = 0.0

    @classmethod
    def of(cls, pods: Sequence[PodLine]) -> "Board":
        """Before anything has happened."""
        return cls({pod.name: Row(pod.name) for pod in pods})

    def hear(self, event: Event) -> None:
        """Keep what an event changes."""
        self.at = max(self.at, event.at)
        is_of_container = event.happening is Happening.ENDED and bool(event.container)
        if event.happening not in QUIET and not is_of_container:
            self.words.append(event)
        row = self.rows.get(event.pod)
        if row is None:
            return
        row.state = STATES.get(event.happening, row.state)
        match event.happening:
            case Happening.STEP:
                row.step = event.step
            case Happening.SAVED:
                row.saved = event.step
            case Happening.CREATED:
                row.lives += 1
                row.has_failed = False
            case Happening.RESTARTED if event.rank < 0:
                row.restarts += 1
            case Happening.FAULT:
                row.state = event.detail.get("deed", "fault")
            case Happening.ENDED if not event.container:
                row.state = event.detail.get("outcome", "over")
                row.has_failed = row.state == "failed"
            case _:
                pass
