"""Turns what a pod does into events, each with the time that it happened at."""

import asyncio
from collections.abc import Callable
from time import monotonic

from trainshed.model.rehearsal import Event, Happening

FASTEST_STEPS_SECONDS = 0.02


class Teller:
    """Tells events of one pod; a note that was told already is not told again."""

    def __init__(self, pod: str, tell: Callable[[Event], None], began: float) -> None:
        self._pod = pod
        self._tell = tell
        self._began = began
        self._noted: set[str] = set()

    def tell(self, happening: Happening, container: str = "", **rest: object) -> None:
        """Something has happened now."""
        self._tell(Event(monotonic() - self._began, happening, self._pod, container, **rest))  # type: ignore[arg-type]

    def note(self, text: str, container: str = "") -> None:
        """Say what differs from a cluster, or what is missing, once."""
        if text not in self._noted:
            self._noted.add(text)
            self.tell(Happening.NOTE, container, text=text)


async def wait_for(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event so long; whether it came."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
