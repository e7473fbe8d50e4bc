"""What a plan costs: a file that is the same on both sides is read once, and a side that is the same is asked for once."""

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from trainshed.model.files import Rendered, RenderedObject
from trainshed.model.manifest import AppId, JsonObject, Manifest, Origins, identify
from trainshed.model.plan import Plan
from trainshed.model.source import Source
from trainshed.validate.asks import read_asks

NOBODY = Plan(clusters={}, teams=(), targets=(), rules=())


class Counting:
    """An engine that knows no workload, and keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.sides: list[JsonObject] = []
        self.calls = 0

    def call_many(self, verb: str, bodies: Sequence[JsonObject]) -> list[JsonObject]:
        self.calls += 1
        if verb == "parse":
            self.texts += [text for body in bodies for text in body["texts"]]
            return [{"documents": [_parsed(text) for text in body["texts"]]} for body in bodies]
        assert verb == "asks"
        self.sides += bodies
        return [{"queued": [], "quotas": [], "others": []} for _ in bodies]


def _parsed(text: str) -> Any:
    try:
        return {"value": json.loads(text), "problem": ""}
    except ValueError:
        return {"value": None, "problem": "no document"}


def rendered(cluster: str, names: Sequence[str]) -> Rendered:
    objects = []
    for name in names:
        path = PurePosixPath("rendered", cluster, "app", f"job-{name}.yaml")
        body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "team"}}
        manifest = Manifest(identify(body), json.dumps(body), Origins(Source(path)))
        objects.append(RenderedObject(AppId(cluster, "app"), path, manifest))
    return Rendered({one.path: one.manifest.text for one in objects}, tuple(objects))


def as_base(files: Rendered) -> dict[PurePosixPath, bytes]:
    return {path: text.encode() for path, text in files.files.items()}


def test_a_side_that_is_the_same_is_asked_for_once(tmp_path: Path) -> None:
    engine, files = Counting(), rendered("lab", ["a", "b", "c"])
    read_asks(NOBODY, files, as_base(files), tmp_path, engine)
    assert engine.texts == []
    assert [len(side["objects"]) for side in engine.sides] == [3]


def test_only_files_that_differ_are_read(tmp_path: Path) -> None:
    engine, files = Counting(), rendered("lab", ["a", "b", "c"])
    base = as_base(files) | as_base(rendered("lab", ["gone"]))
    read_asks(NOBODY, files, base, tmp_path, engine)
    assert len(engine.texts) == 1 and "gone" in engine.texts[0]
    assert sorted(len(side["objects"]) for side in engine.sides) == [3, 4]


def test_all_clusters_are_asked_for_in_one_round(tmp_path: Path) -> None:
    engine = Counting()
    each = [rendered(f"lab-{at}", ["a"]) for at in range(20)]
    files = Rendered(
        {path: text for one in each for path, text in one.files.items()},
        tuple(thing for one in each for thing in one.objects),
    )
    read_asks(NOBODY, files, as_base(files), tmp_path, engine)
    assert (engine.calls, len(engine.sides)) == (1, 20)


def test_what_is_no_object_asks_for_nothing(tmp_path: Path) -> None:
    engine, files = Counting(), rendered("lab", ["a"])
    odd = {
        "x": b"\xff",
        "y": b"[]",
        "z": b'{"kind": 1}',
        "w": b'{"apiVersion": "v1", "kind": "Job", "metadata": {"name": 3}}',
    }
    base = as_base(files) | {
        PurePosixPath("rendered/lab/app", f"{name}.yaml"): text for name, text in odd.items()
    }
    read_asks(NOBODY, files, base, tmp_path, engine)
    assert [len(side["objects"]) for side in engine.sides] == [1]
