"""Judgement by JSON Schema: kubeconform in the engine, local schemas only."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from trainshed.engine.batches import ask_in_rounds, batches
from trainshed.engine.client import Caller, lent
from trainshed.engine.messages import CompileError, JsonObject, Verdict

OBJECTS_PER_CALL = 32


def validate(
    objects: Iterable[JsonObject], schemas: Sequence[Path], *, engine: Caller | None = None
) -> list[Verdict]:
    """One verdict for each object, by the first of the folders that has a schema for its kind.

    A schema stands at `<folder>/<group, or core>/<kind in lower case>_<version>.json` and refers to no
    other file. An object without one, or with one that does not compile, is unchecked.
    """
    folders = [str(folder.resolve()) for folder in schemas]
    bodies = ({"schemas": folders, "objects": batch} for batch in batches(objects, OBJECTS_PER_CALL))
    with lent(engine) as caller:
        replies = ask_in_rounds(caller, "validate", bodies)
        return [Verdict.from_json(verdict) for reply in replies for verdict in reply["verdicts"]]


def compile_schemas(files: Iterable[Path], *, engine: Caller | None = None) -> list[CompileError]:
    """The schema files that do not compile."""
    body: JsonObject = {"files": [str(file.resolve()) for file in files]}
    with lent(engine) as caller:
        (reply,) = caller.call_many("compile", [body])
    return [CompileError.from_json(error) for error in reply["errors"]]
