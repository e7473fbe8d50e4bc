"""Judgement by the code that will judge in the cluster: the API server's and the operators' own, in the engine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from trainshed.engine.batches import ask_in_rounds, batches
from trainshed.engine.client import Caller, lent
from trainshed.engine.messages import Admission, Change, Greeting, JsonObject, Production, Together

OBJECTS_PER_CALL = 64


class Court(Struct, frozen=True):
    """Who judges, and by what.

    `schemas` are looked into in their order; `around` are the objects that judges look at beside the one they judge:
    namespaces, limits, quotas, classes, runtimes; `operators` are those of the cluster, None for all that are known;
    `without` names judges that are not asked.
    """

    schemas: Sequence[Path]
    kubernetes: str
    around: Sequence[JsonObject] = ()
    operators: Sequence[str] | None = None
    without: Sequence[str] = ()

    def to_json(self) -> JsonObject:
        """The part of a request to `judge` that is the same for every object."""
        return {
            "schemas": [str(folder.resolve()) for folder in self.schemas],
            "kubernetes": self.kubernetes,
            "around": list(self.around),
            "operators": None if self.operators is None else list(self.operators),
            "without": list(self.without),
        }


def admit(changes: Iterable[Change], court: Court, *, engine: Caller | None = None) -> Iterator[Admission]:
    """What the judges say about each change, in order."""
    setting = court.to_json()
    bodies = (
        setting | {"objects": [change.to_json() for change in batch]}
        for batch in batches(changes, OBJECTS_PER_CALL)
    )
    with lent(engine) as caller:
        for reply in ask_in_rounds(caller, "judge", bodies):
            yield from map(Admission.from_json, reply["verdicts"])


def admit_together(objects: Sequence[JsonObject], court: Court, *, engine: Caller | None = None) -> Together:
    """What the judges say about all objects of one cluster at once."""
    with lent(engine) as caller:
        (reply,) = caller.call_many("together", [court.to_json() | {"objects": list(objects)}])
    return Together.from_json(reply)


def make_pods(workload: JsonObject, court: Court, *, engine: Caller | None = None) -> Production:
    """Every object that controllers make of a workload, each by itself, down to its pods."""
    with lent(engine) as caller:
        (reply,) = caller.call_many("pods", [court.to_json() | {"object": workload}])
    return Production.from_json(reply)


def read_releases(engine: Caller) -> Mapping[str, str]:
    """The releases of the linked judges, by name: `{"kueue": "v0.19.2", …}`."""
    (greeting,) = engine.call_many("hello", [{}])
    return Greeting.from_json(greeting).judges
