"""The exchanges of tests/protocol, which the Go tests are held to as well."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import trainshed_engine

from trainshed.engine.asks import Line
from trainshed.engine.client import Engine
from trainshed.engine.errors import EngineError
from trainshed.engine.health import Health
from trainshed.engine.messages import (
    Admission,
    Build,
    BuildResult,
    Change,
    CompileError,
    Greeting,
    JsonObject,
    MadeObject,
    Problem,
    Production,
    QueueVerdict,
    Refusal,
    Status,
    Together,
    Verdict,
    Violation,
)
from trainshed.engine.rules import Breach, Expression, Fault, evaluate

HERE = Path(__file__).parents[1] / "protocol"


class Recorded:
    """An engine that gives one reply."""

    def __init__(self, reply: JsonObject) -> None:
        self.reply = reply
        self.bodies: list[JsonObject] = []

    def call_many(self, verb: str, bodies: Sequence[JsonObject]) -> list[JsonObject]:
        assert verb == "rules"
        self.bodies += bodies
        return [self.reply for _ in bodies]


READERS: dict[str, Callable[[JsonObject], Any]] = {
    "hello": lambda reply: Greeting.from_json(reply),
    "build": lambda reply: [BuildResult.from_json(result) for result in reply["builds"]],
    "emit": lambda reply: reply["texts"],
    "validate": lambda reply: [Verdict.from_json(verdict) for verdict in reply["verdicts"]],
    "compile": lambda reply: [CompileError.from_json(error) for error in reply["errors"]],
    "judge": lambda reply: [Admission.from_json(verdict) for verdict in reply["verdicts"]],
    "pods": lambda reply: Production.from_json(reply),
    "together": lambda reply: Together.from_json(reply),
    "asks": lambda reply: Line.from_json(reply),
    "rules": lambda reply: evaluate((), (), engine=Recorded(reply)),
    "health": lambda reply: [Health(**told) for told in reply["health"]],
    "live": lambda reply: reply["steps"],
}


def exchanges() -> list[Any]:
    cases: list[Any] = []
    for file in sorted(HERE.glob("*.json")):
        text = file.read_text("utf-8").replace("${HERE}", str(HERE))
        for exchange in json.loads(text.replace("${VERSION}", trainshed_engine.__version__)):
            cases.append(pytest.param(exchange, id=f"{file.stem}: {exchange['asks']}"))
    return cases


@pytest.mark.parametrize("exchange", exchanges())
def test_exchange(engine: Engine, exchange: dict[str, Any]) -> None:
    verb, request = exchange["verb"], exchange["request"]
    if "fault" in exchange:
        with pytest.raises(EngineError) as raised:
            engine.call(verb, request)
        fault = exchange["fault"]
        assert str(raised.value) == f"the engine cannot answer {verb}: {fault['kind']}: {fault['message']}"
    else:
        reply = engine.call(verb, request)
        assert reply == exchange["reply"]
        assert READERS[verb](reply) is not None


def test_messages_are_read_whole() -> None:
    error = {"message": "m", "path": "a.yaml", "line": 3}
    assert BuildResult.from_json({"error": error, "warnings": ["w"]}) == BuildResult(
        (), Problem("m", "a.yaml", 3), ("w",)
    )
    assert BuildResult.from_json({"objects": [{"kind": "A"}]}) == BuildResult(({"kind": "A"},))
    assert Verdict.from_json({"status": "invalid", "errors": [{"pointer": "/a", "message": "m"}]}) == Verdict(
        Status.INVALID, (Violation("/a", "m"),)
    )
    assert Build({"a": "b"}, ("x", "y")).to_json() == {"files": {"a": "b"}, "roots": ["x", "y"]}


def test_what_judges_say_is_read_whole() -> None:
    refusal = {"judge": "kueue", "pointer": "/a", "message": "m", "child": "Pod of Worker", "change": True}
    pod = {"role": "Worker", "count": 2, "object": {"kind": "Pod"}, "places": [["", "/a"]], "fallback": "/a"}
    said = {"refusals": [refusal], "unjudged": [{"judge": "schema", "message": "none"}], "pods": [pod]}
    assert Admission.from_json(said) == Admission(
        (Refusal("kueue", "/a", "m", "Pod of Worker", change=True),), (("schema", "none"),), (pod,)
    )
    assert Change({"kind": "A"}).to_json() == {"object": {"kind": "A"}, "before": None}
    run = {"index": 1, "admissible": False, "reason": "r", "pointer": "/a", "resource": "cpu", "flavor": "f"}
    told = Together.from_json({"admissions": [run], "refusals": [None, [refusal]]})
    assert told.runs == (QueueVerdict(1, False, "r", "/a", "cpu", "f"),)
    assert told.refusals == ((1, Refusal("kueue", "/a", "m", "Pod of Worker", change=True)),)


def test_what_is_made_is_read_whole() -> None:
    refusal = {"judge": "kubernetes", "pointer": "/a", "message": "m"}
    pod = {"role": "Worker", "index": 2, "owner": 0, "object": {"kind": "Pod"}}
    said = {"kept": {"kind": "Job"}, "made": [pod], "refusals": [refusal], "unjudged": []}
    assert Production.from_json(said) == Production(
        {"kind": "Job"},
        (MadeObject("Worker", 2, 0, {"kind": "Pod"}),),
        Admission((Refusal("kubernetes", "/a", "m"),), (), ()),
    )


def test_what_rules_say_is_read_whole() -> None:
    breach = {"rule": "small", "message": "m", "error": "e"}
    recorded = Recorded({"faults": [{"rule": "wrong", "message": "m"}], "verdicts": [[breach], []]})
    rule = Expression("small", "true", "m", "")
    assert evaluate([rule], [{"object": {}}, {}], engine=recorded) == (
        [Fault("wrong", "m")],
        [[Breach("small", "m", "e")], []],
    )
    (asked,) = recorded.bodies
    assert asked["rules"] == [
        {"name": "small", "expression": "true", "message": "m", "messageExpression": ""}
    ]
