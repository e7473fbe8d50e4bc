"""Judgement by schema, and texts, for typed values and long lists."""

from pathlib import Path

import pytest

from trainshed.engine.client import Engine
from trainshed.engine.messages import CompileError, Status, Verdict, Violation
from trainshed.engine.pool import EnginePool
from trainshed.engine.texts import emit
from trainshed.engine.verdicts import compile_schemas, validate


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "thing_v1.json").write_text('{"properties": {"size": {"type": "integer"}}}')
    return tmp_path


def test_verdicts_keep_the_order_of_the_objects(schemas: Path) -> None:
    objects = [
        {"apiVersion": "v1", "kind": "Thing", "size": number if number % 3 else "x"} for number in range(1500)
    ]
    wrong = Verdict(Status.INVALID, (Violation("/size", "got string, want integer"),))
    with EnginePool(2) as pool:
        verdicts = validate(objects, [schemas], engine=pool)
    assert verdicts == [Verdict(Status.VALID) if number % 3 else wrong for number in range(1500)]


def test_a_kind_without_a_schema_is_unchecked(engine: Engine, schemas: Path) -> None:
    (verdict,) = validate([{"apiVersion": "v1", "kind": "Other"}], [schemas], engine=engine)
    assert verdict == Verdict(Status.UNCHECKED, (Violation("", "there is no schema for v1 Other"),))


def test_schemas_that_do_not_compile_are_named(engine: Engine, schemas: Path) -> None:
    bad = schemas / "core" / "bad_v1.json"
    bad.write_text("{")
    errors = compile_schemas([schemas / "core" / "thing_v1.json", bad], engine=engine)
    assert errors == [CompileError(str(bad), "not JSON: unexpected EOF")]


def test_texts_keep_the_order_of_the_documents() -> None:
    with EnginePool(2) as pool:
        texts = emit(({"number": number} for number in range(1500)), engine=pool)
    assert texts == [f"number: {number}\n" for number in range(1500)]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_is_not_json_is_refused_and_the_engine_lives(engine: Engine, value: object) -> None:
    with pytest.raises(ValueError, match=r"JSON compliant|surrogates not allowed"):
        emit([{"a": value}], engine=engine)
    assert emit([{"a": 1}], engine=engine) == ["a: 1\n"]
