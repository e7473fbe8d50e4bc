"""Layers of defaults: maps merge, lists replace, null removes, and every value keeps its line and its layer."""

from pathlib import PurePosixPath
from typing import Any

from trainshed.load.specs import read_spec
from trainshed.load.yaml_tree import read_yaml
from trainshed.model.source import Source
from trainshed.resolve.merge import Layer, Merged, merge_layers

WHOLE = Source(PurePosixPath("job.yaml"))


def layer(words: str, text: str, *at: str) -> Layer:
    tree = read_yaml(text, PurePosixPath(f"{words}.yaml")).value
    assert tree is not None
    return Layer(words, tree, at)


def merge(*texts: str) -> Merged:
    names = ("low", "middle", "high")
    return merge_layers([layer(name, text) for name, text in zip(names, texts, strict=False)], WHOLE)


def origins(merged: Merged) -> dict[str, str]:
    """Each field with its line and its layer."""
    fields, words = merged.sources.fields, merged.sources.layers
    assert fields.keys() == words.keys()
    return {".".join(map(str, path)): f"{fields[path]} {words[path]}" for path in fields}


def test_maps_merge_key_by_key() -> None:
    merged = merge("env: {A: 1, B: 1}\n", "env: {B: 2, C: 2}\n")
    assert merged.data == {"env": {"A": 1, "B": 2, "C": 2}}
    assert origins(merged) == {
        "env": "middle.yaml:1:1 middle",
        "env.A": "low.yaml:1:10 low",
        "env.B": "middle.yaml:1:10 middle",
        "env.C": "middle.yaml:1:16 middle",
    }


def test_lists_replace_as_a_whole() -> None:
    merged = merge("args: [a, b, c]\n", "args: [z]\n")
    assert merged.data == {"args": ["z"]}
    assert origins(merged) == {"args": "middle.yaml:1:1 middle", "args.0": "middle.yaml:1:8 middle"}


def test_null_removes_what_lies_below() -> None:
    merged = merge("env: {A: 1, B: {secret: s}}\nqueue: q\n", "env: {B: null}\nqueue: null\n")
    assert merged.data == {"env": {"A": 1}}
    assert origins(merged) == {"env": "middle.yaml:1:1 middle", "env.A": "low.yaml:1:10 low"}


def test_what_was_removed_can_be_written_again() -> None:
    merged = merge("env: {A: {secret: s, key: k}}\n", "env: {A: null}\n", "env: {A: {value: x}}\n")
    assert merged.data == {"env": {"A": {"value": "x"}}}
    assert sorted(origins(merged)) == ["env", "env.A", "env.A.value"]


def test_a_null_below_a_new_map_leaves_no_key() -> None:
    assert merge("a: 1\n", "b: {c: null, d: 1}\n").data == {"a": 1, "b": {"d": 1}}


def test_a_scalar_gives_way_to_a_map_and_a_map_to_a_scalar() -> None:
    assert merge("a: 1\n", "a: {b: 2}\n").data == {"a": {"b": 2}}
    merged = merge("a: {b: 2}\n", "a: 1\n")
    assert merged.data == {"a": 1}
    assert origins(merged) == {"a": "middle.yaml:1:4 middle"}


def test_a_rival_takes_the_other_forms_away() -> None:
    merged = merge("run: {script: a.py, args: [x]}\n", "run: {module: pkg}\n")
    assert merged.data == {"run": {"args": ["x"], "module": "pkg"}}
    assert "run.script" not in origins(merged)


def test_rivals_in_one_layer_stay_to_be_found() -> None:
    assert merge("run: {script: a.py, module: pkg}\n").data == {"run": {"script": "a.py", "module": "pkg"}}


def test_a_layer_without_a_rival_leaves_them_alone() -> None:
    merged = merge("checkpoint: {every: {time: 5m}}\n", "checkpoint: {volume: v}\n")
    assert merged.data == {"checkpoint": {"every": {"time": "5m"}, "volume": "v"}}
    assert merge("run: {script: a.py}\n", "run: {module: null}\n").data == {"run": {"script": "a.py"}}


def test_how_often_by_steps_replaces_how_often_by_time() -> None:
    merged = merge("checkpoint: {every: {time: 5m}}\n", "checkpoint: {every: {steps: 9}}\n")
    assert merged.data == {"checkpoint": {"every": {"steps": 9}}}


def test_layers_are_left_as_they_were() -> None:
    low = layer("low", "env: {A: 1}\n")
    before: dict[str, Any] = {"env": {"A": 1}}
    merge_layers([low, layer("high", "env: {A: 2}\n")], WHOLE)
    assert low.data == before


def test_a_layer_that_is_not_there_says_nothing() -> None:
    merged = merge_layers([layer("low", "a: 1\n", "no", "such"), layer("high", "b: 2\n")], WHOLE)
    assert merged.data == {"b": 2}


def test_what_nobody_wrote_is_found_at_the_nearest_map_or_the_whole() -> None:
    sources = merge("run: {script: a.py}\n").sources
    assert sources.find("run", "args") == Source(PurePosixPath("low.yaml"), 1, 1, 3)
    assert sources.find("gpus", "type") == WHOLE
    assert sources.has("run", "script")
    assert not sources.has("run", "args")


def test_a_scalar_in_one_layer_and_a_map_in_the_other_are_both_kept() -> None:
    header = "apiVersion: trainshed/v1\nname: vision\n"
    ((team,), _) = read_spec(
        f"{header}kind: Team\ndefaults: {{gpus: {{type: h100}}}}\n", PurePosixPath("t.yaml")
    )
    ((job,), _) = read_spec(f"{header}kind: TrainingJob\nteam: vision\ngpus: 4\n", PurePosixPath("j.yaml"))
    merged = merge_layers(
        [Layer("team", team.tree, ("defaults",)), Layer("job", job.tree)],
        job.name_source,
    )
    assert merged.data["gpus"] == {"type": "h100", "perNode": 4}
    assert merged.sources.find("gpus", "perNode") == Source(PurePosixPath("j.yaml"), 5, 7, 1)
    assert merged.sources.layers["gpus", "type"] == "team"
