"""What is read costs what differs: a file that is the same is never parsed."""

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from trainshed.model.plan import Plan
from trainshed.model.review import Proposal
from trainshed.review.sides import read_sides


class CountingEngine:
    """An engine that reads JSON, which is YAML too, and remembers how many texts it was given."""

    def __init__(self) -> None:
        self.texts = 0

    def call_many(self, verb: str, bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        assert verb == "parse"
        self.texts += sum(len(body["texts"]) for body in bodies)
        return [{"documents": [{"value": json.loads(text)} for text in body["texts"]]} for body in bodies]


def files(number: int, value: str = "old") -> dict[PurePosixPath, bytes]:
    return {
        PurePosixPath(f"rendered/lab/team-a/configmap-c{index}.yaml"): json.dumps(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": f"c{index}"},
                "data": {"key": value},
            }
        ).encode()
        for index in range(number)
    }


def test_only_files_that_differ_are_parsed() -> None:
    before = files(1_000)
    after = before | files(3, "new")
    engine = CountingEngine()
    proposal = Proposal("0" * 40, before, after, {}, {}, (), (), Plan({}, (), (), ()), 0)
    sides = read_sides(proposal, engine)
    assert engine.texts == 6
    assert [one.identity.name for one in sides.after] == ["c0", "c1", "c2"]
    assert sides.kept == ()
