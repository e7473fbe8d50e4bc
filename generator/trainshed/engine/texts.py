"""The one place that YAML is written: the engine's emitter, for plain data."""

from collections.abc import Iterable
from typing import Any

from trainshed.engine.batches import ask_in_rounds, batches
from trainshed.engine.client import Caller, lent

DOCUMENTS_PER_CALL = 32


def emit(documents: Iterable[Any], *, engine: Caller | None = None) -> list[str]:
    """Each map or list as YAML text that readers of YAML 1.1 and 1.2 take for the same value.

    Same value, same bytes; apiVersion, kind and metadata lead, other keys are sorted. Raises `ValueError`
    for what is not JSON: NaN, infinity, or half of a surrogate pair.
    """
    bodies = ({"documents": batch} for batch in batches(documents, DOCUMENTS_PER_CALL))
    with lent(engine) as caller:
        return [text for reply in ask_in_rounds(caller, "emit", bodies) for text in reply["texts"]]


def parse(texts: Iterable[str], *, engine: Caller | None = None) -> list[Any]:
    """What each text holds, one document each, as `emit` writes it; None for a text that cannot be taken."""
    bodies = ({"texts": batch} for batch in batches(texts, DOCUMENTS_PER_CALL))
    with lent(engine) as caller:
        replies = ask_in_rounds(caller, "parse", bodies)
        return [document["value"] for reply in replies for document in reply["documents"]]
