"""Rules in CEL, evaluated in the engine over whole objects, as a ValidatingAdmissionPolicy would."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from trainshed.engine.batches import ask_in_rounds, batches
from trainshed.engine.client import Caller
from trainshed.engine.messages import JsonObject

OBJECTS_PER_CALL = 32


class Expression(Struct, frozen=True):
    """A rule: CEL that is true where all is well, and what to say where it is not."""

    name: str
    expression: str
    message: str
    message_expression: str = ""

    def to_json(self) -> JsonObject:
        """One rule of the request to `rules`."""
        return {
            "name": self.name,
            "expression": self.expression,
            "message": self.message,
            "messageExpression": self.message_expression,
        }


class Fault(NamedTuple):
    """A rule that does not compile, and why."""

    rule: str
    message: str


class Breach(NamedTuple):
    """A rule that an object breaks, in the rule's words; or why it could not be evaluated, in CEL's."""

    rule: str
    message: str
    error: str


def evaluate(
    rules: Sequence[Expression], objects: Iterable[JsonObject], *, engine: Caller
) -> tuple[list[Fault], list[list[Breach]]]:
    """The rules that do not compile, and what is broken by each object.

    An object is `{"object", "oldObject", "pods", "cluster", "team"}`, by the names that expressions know them by.
    """
    words = [rule.to_json() for rule in rules]
    asked = [*batches(objects, OBJECTS_PER_CALL)] or [[]]
    bodies: list[JsonObject] = [{"rules": words, "objects": batch} for batch in asked]
    faults: dict[Fault, None] = {}
    breaches: list[list[Breach]] = []
    for reply in ask_in_rounds(engine, "rules", bodies):
        faults |= {Fault(fault["rule"], fault["message"]): None for fault in reply["faults"]}
        breaches += [list(map(_read_breach, verdicts)) for verdicts in reply["verdicts"]]
    return list(faults), breaches


def _read_breach(body: JsonObject) -> Breach:
    return Breach(body["rule"], body["message"], body.get("error", ""))
