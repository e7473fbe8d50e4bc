"""Several engines side by side, started when there is work enough for them."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import TracebackType

from trainshed.engine.client import Engine
from trainshed.engine.messages import JsonObject

BODIES_PER_ENGINE = 4
MOST_ENGINES = 8


class EnginePool:
    """A context manager that answers like one engine. No process is started before the first call."""

    def __init__(self, size: int | None = None) -> None:
        self._size = size or min(os.cpu_count() or 1, MOST_ENGINES)
        self._engines: list[Engine] = []
        self._open = ExitStack()

    def __enter__(self) -> "EnginePool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        self._engines.clear()

    def call(self, verb: str, body: JsonObject) -> JsonObject:
        """The body of one reply."""
        return self._grow(1)[0].call(verb, body)

    def call_many(self, verb: str, bodies: Sequence[JsonObject]) -> list[JsonObject]:
        """The reply bodies, in the order of the request bodies. The first error ends the pool's engines."""
        engines = self._grow(min(self._size, max(1, len(bodies) // BODIES_PER_ENGINE)))
        if len(engines) == 1:
            return engines[0].call_many(verb, bodies)
        replies: dict[int, JsonObject] = {}
        waiting = enumerate(bodies)
        turn = threading.Lock()
        with ThreadPoolExecutor(len(engines)) as threads:
            try:
                work = [threads.submit(answer, engine, verb, waiting, turn, replies) for engine in engines]
                for part in work:
                    part.result()
            except BaseException:
                for engine in engines:
                    engine.kill()
                raise
        return [replies[number] for number in range(len(bodies))]

    def _grow(self, wanted: int) -> list[Engine]:
        while len(self._engines) < wanted:
            self._engines.append(self._open.enter_context(Engine()))
        return self._engines[:wanted]


def answer(
    engine: Engine,
    verb: str,
    waiting: Iterator[tuple[int, JsonObject]],
    turn: threading.Lock,
    replies: dict[int, JsonObject],
) -> None:
    """Have one engine answer the bodies that no other has taken, until none is left."""
    while True:
        with turn:
            taken = next(waiting, None)
        if taken is None:
            return
        number, body = taken
        replies[number] = engine.call(verb, body)
