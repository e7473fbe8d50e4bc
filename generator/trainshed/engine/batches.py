"""Long lists in parts, so that a pool of engines can share them, no line grows too long, and memory stays flat."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from trainshed.engine.client import Caller
from trainshed.engine.messages import JsonObject

BODIES_PER_ROUND = 64

T = TypeVar("T")


def batches(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in order, `size` at a time; none for none (`itertools.batched` came with 3.12)."""
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch


def ask_in_rounds(caller: Caller, verb: str, bodies: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """The reply bodies in order. However many there are, only one round of questions and answers is held at a time."""
    for bodies_of_round in batches(bodies, BODIES_PER_ROUND):
        yield from caller.call_many(verb, bodies_of_round)
