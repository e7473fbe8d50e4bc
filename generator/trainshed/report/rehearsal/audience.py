"""Who watches a rehearsal: a live table on a terminal; anywhere else only the sentences about what differs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TextIO

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import PodLine
from trainshed.report.glyphs import make_visible
from trainshed.report.rehearsal.live import LiveTable

Hear = Callable[[Event], None]


class Audience:
    """Opened once for each play of a rehearsal; no sentence is said twice."""

    def __init__(
        self, stream: TextIO, environment: Mapping[str, str], name: str, pods: Sequence[PodLine]
    ) -> None:
        self._stream = stream
        self._is_live = stream.isatty() and environment.get("TERM") != "dumb"
        self._name = name
        self._pods = pods
        self._said: set[str] = set()

    def say(self, sentences: Iterable[str]) -> None:
        """Sentences before anything runs."""
        for sentence in sentences:
            if sentence not in self._said:
                self._said.add(sentence)
                self._stream.write(f"note: {make_visible(sentence)}\n")
        self._stream.flush()

    def watch(self, title: str) -> AbstractContextManager[Hear]:
        """One play, `title` says which."""
        words = f"{self._name}, {title}" if title else self._name
        return LiveTable(self._stream, words, self._pods) if self._is_live else _Listener(self)

    def hear(self, event: Event) -> None:
        """Say what differs from the cluster, and nothing else."""
        if event.happening is Happening.NOTE and "event" not in event.detail:
            self.say([event.text])


class _Listener(AbstractContextManager[Hear]):
    """Hears a play without a screen."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience

    def __enter__(self) -> Hear:
        return self._audience.hear

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to put away."""
