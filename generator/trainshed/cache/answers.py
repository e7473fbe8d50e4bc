"""An engine that is asked only what it has not answered before."""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from trainshed.cache.fingerprint import hash_engine
from trainshed.cache.store import Store, open_store
from trainshed.engine.client import Caller, encode
from trainshed.engine.messages import JsonObject

ITEM_BY_ITEM: Mapping[str, tuple[str, str]] = {
    "judge": ("objects", "verdicts"),
    "validate": ("objects", "verdicts"),
    "parse": ("texts", "documents"),
}
"""The verbs that look at each item of a list by itself: the list in the request, and that in the reply."""


@contextmanager
def remembered(engine: Caller, root: Path, environment: Mapping[str, str]) -> Generator[Caller]:
    """The engine, asked about `root` only what this user's store does not know."""
    with open_store(root, environment) as store:
        engine_hash = hash_engine(root) if store.is_open else None
        yield engine if engine_hash is None else Remembering(engine, engine_hash, store)
        if engine_hash != hash_engine(
            root
        ):  # a schema was edited meanwhile: who knows which one was answered by
            store.forget()


class Remembering:
    """Answers like the engine that it stands before. `engine_hash` stands for the engine and all that it reads."""

    def __init__(self, engine: Caller, engine_hash: str, store: Store) -> None:
        self._engine = engine
        self._engine_hash = engine_hash
        self._store = store

    def call_many(self, verb: str, bodies: Sequence[JsonObject]) -> list[JsonObject]:
        """The reply bodies, in the order of the request bodies."""
        if verb not in ITEM_BY_ITEM:
            return self._engine.call_many(verb, bodies)
        items, answers = ITEM_BY_ITEM[verb]
        asked = [self._ask(verb, body, items) for body in bodies]
        known = {question: self._store.read(question) for pairs in asked for question, _ in pairs}
        new = [[pair for pair in pairs if known[pair[0]] is None] for pairs in asked]
        requests = [
            body | {items: [item for _, item in pairs]}
            for body, pairs in zip(bodies, new, strict=True)
            if pairs
        ]
        replies = self._engine.call_many(verb, requests) if requests else []
        learned = (answer for reply in replies for answer in reply[answers])
        for (question, _), answer in zip(chain.from_iterable(new), learned, strict=True):
            known[question] = answer
            self._store.write(question, answer)
        return [{answers: [known[question] for question, _ in pairs]} for pairs in asked]

    def _ask(self, verb: str, body: JsonObject, items: str) -> list[tuple[str, Any]]:
        """Each item with the hash of what is asked: of the engine, about the item, beside all else that is said."""
        setting = _hash(self._engine_hash, verb, {key: value for key, value in body.items() if key != items})
        return [(_hash(setting, item), item) for item in body[items]]


def _hash(*asked: Any) -> str:
    return hashlib.sha256(encode({"asked": asked})).hexdigest()
