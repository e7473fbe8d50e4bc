"""The exchanges of tests/protocol, which the Go tests are held to as well."""

import json
from pathlib import Path
from typing import Any

import pytest
import trainshed_engine

from trainshed.engine.client import Engine
from trainshed.engine.errors import EngineError
from trainshed.engine.messages import (
    Build,
    BuildResult,
    CompileError,
    Greeting,
    Problem,
    Status,
    Verdict,
    Violation,
)

HERE = Path(__file__).parents[1] / "protocol"
READERS = {
    "hello": lambda reply: Greeting.from_json(reply),
    "build": lambda reply: [BuildResult.from_json(result) for result in reply["builds"]],
    "emit": lambda reply: reply["texts"],
    "validate": lambda reply: [Verdict.from_json(verdict) for verdict in reply["verdicts"]],
    "compile": lambda reply: [CompileError.from_json(error) for error in reply["errors"]],
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
