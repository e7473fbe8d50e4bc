"""The JSON Schemas that editors use say what our own types say: no more, no less, and with words for every field."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from trainshed.derive import spec_schemas
from trainshed.model.spec import KINDS

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "schemas" / "trainshed"
SPECS = sorted((ROOT / "specs").rglob("*.yaml"))
MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)$")

CLUSTER = {
    "apiVersion": "trainshed/v1",
    "kind": "Cluster",
    "name": "lab",
    "kubernetes": "1.36",
    "provider": "onprem",
}
TEAM = {"apiVersion": "trainshed/v1", "kind": "Team", "name": "vision"}
PRESET = {"apiVersion": "trainshed/v1", "kind": "Preset", "name": "spot"}
JOB = {"apiVersion": "trainshed/v1", "kind": "TrainingJob", "name": "resnet", "team": "vision"}
POLICY = {
    "apiVersion": "trainshed/v1",
    "kind": "Policy",
    "name": "paid",
    "kinds": ["RayJob"],
    "expression": "has(object.spec)",
    "message": "it has to",
}

TAKEN: list[dict[str, Any]] = [
    CLUSTER,
    TEAM,
    PRESET,
    JOB,
    {**JOB, "gpus": 4},
    {**JOB, "gpus": {"type": "h100", "perNode": 8}},
    {**JOB, "gpus": None},
    {**JOB, "nodes": {"min": 2, "max": 4}},
    {**JOB, "clusters": "lab"},
    {**JOB, "clusters": ["lab", "prod"]},
    {**JOB, "clusters": {"lab": None, "prod": {"nodes": 2, "attempt": 3}}},
    {**JOB, "extends": "spot"},
    {**JOB, "extends": ["spot", "large"]},
    {**JOB, "schedule": "0 2 * * 0"},
    {**JOB, "schedule": {"cron": "0 2 * * 0", "keep": 3}},
    {**JOB, "memory": 64, "cpu": 0.5},
    {**JOB, "memory": "64Gi"},
    {**JOB, "env": {"A": "text", "B": 1, "C": {"secret": "wandb", "key": "api-key"}, "D": None}},
    {**JOB, "parameters": {"anything": [1, 2.5, {"goes": None}]}},
    {**JOB, "checkpoint": {"every": "15m", "keep": 3}},
    {**TEAM, "clusters": {"lab": {"quota": {"h100": 4, "cpu": {"nodes": 1, "lend": 0}}}}},
    {**PRESET, "job": {"framework": "ray"}},
    {**CLUSTER, "operators": {"kueue": "v0.19.2"}, "storage": {"fast": "lustre"}},
    {**CLUSTER, "policies": {"deadline-missing": "error", "over-budget": {"gpuHours": 500}}},
    {**JOB, "waive": [{"rule": "deadline-missing", "because": "it never ends"}]},
    POLICY,
]

REFUSED: dict[str, dict[str, Any]] = {
    "a field that does not exist": {**JOB, "gpu": 4},
    "a field that does not exist, further in": {**JOB, "checkpoint": {"evry": "15m"}},
    "a field of a job alone in a preset": {**PRESET, "job": {"team": "vision"}},
    "no name": {key: value for key, value in JOB.items() if key != "name"},
    "no team": {key: value for key, value in JOB.items() if key != "team"},
    "no version of Kubernetes": {key: value for key, value in CLUSTER.items() if key != "kubernetes"},
    "a grammar of the future": {**JOB, "apiVersion": "trainshed/v2"},
    "another kind": {**JOB, "kind": "Job"},
    "a name with capitals": {**JOB, "name": "ResNet"},
    "a name that is too long": {**JOB, "name": "a" * 64},
    "a name that is no text": {**JOB, "name": 7},
    "a version that YAML takes for a number": {**CLUSTER, "kubernetes": 1.36},
    "a provider that is unknown": {**CLUSTER, "provider": "mars"},
    "an operator that is unknown": {**CLUSTER, "operators": {"slurm": "v1"}},
    "a framework that is unknown": {**JOB, "framework": "torch"},
    "a backend that is unknown": {**JOB, "backend": "PyTorchJob"},
    "text for a number": {**JOB, "gpus": "4"},
    "half a node": {**JOB, "nodes": 1.5},
    "no node": {**JOB, "nodes": {"min": 0}},
    "a number for a duration": {**JOB, "deadline": 3600},
    "a duration without a unit": {**JOB, "deadline": "90"},
    "a list for a map": {**JOB, "env": ["A=1"]},
    "a map for a list": {**JOB, "run": {"command": {"0": "python"}}},
    "text for yes or no": {**JOB, "data": {"images": {"readOnly": "yes"}}},
    "a relative path in the container": {**JOB, "workingDir": "code"},
    "a branch for a commit": {**JOB, "code": {"git": {"commit": "main"}}},
    "an exit code of success": {**JOB, "failOn": [0]},
    "less than nothing of a quota": {**TEAM, "clusters": {"lab": {"quota": {"h100": -1}}}},
    "a waiver without a reason": {**JOB, "waive": [{"rule": "deadline-missing", "because": " "}]},
    "a rule about nothing": {**POLICY, "kinds": []},
    "a severity that is unknown": {**CLUSTER, "policies": {"deadline-missing": "fatal"}},
    "the user root": {**JOB, "security": {"runAs": {"user": 0}}},
}


@cache
def validator(kind: str) -> Any:
    return Draft202012Validator(json.loads((SCHEMAS / f"{kind.lower()}.json").read_text("utf-8")))


def read(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text("utf-8"))


def fields(schema: Any, at: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every field of every map in the schema, by where it stands."""
    if isinstance(schema, dict):
        for name, field in schema.get("properties", {}).items():
            yield f"{at}/{name}", field
        for key, value in schema.items():
            yield from fields(value, f"{at}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from fields(value, f"{at}/{index}")


def test_committed_schemas_are_what_the_types_give() -> None:
    committed = {path.name: path.read_text("utf-8") for path in SCHEMAS.iterdir()}
    assert committed == spec_schemas(), "run: uv run trainshed schemas add trainshed v1"


@pytest.mark.parametrize("kind", KINDS)
def test_schema_is_of_draft_2020_12_and_closed(kind: str) -> None:
    schema = validator(kind).schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    maps = [schema, *schema.get("$defs", {}).values()]
    assert [
        inner for inner in maps if "properties" in inner and inner.get("additionalProperties") is not False
    ] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described_in_a_sentence(kind: str) -> None:
    described = dict(fields(validator(kind).schema))
    assert len(described) > 5
    assert [at for at, field in described.items() if not field.get("description", "").endswith(".")] == []


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.relative_to(ROOT / "specs").as_posix())
def test_every_spec_fits_the_schema_that_its_first_line_names(path: Path) -> None:
    modeline = MODELINE.match(path.read_text("utf-8").splitlines()[0])
    assert modeline is not None
    spec = read(path)
    assert (path.parent / modeline[1]).resolve() == SCHEMAS / f"{spec['kind'].lower()}.json"
    assert [error.message for error in validator(spec["kind"]).iter_errors(spec)] == []


@pytest.mark.parametrize("spec", TAKEN, ids=lambda spec: json.dumps({**spec}, default=str)[-60:])
def test_what_the_grammar_takes_the_schema_takes(spec: dict[str, Any]) -> None:
    assert [error.message for error in validator(spec["kind"]).iter_errors(spec)] == []


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_grammar_refuses_the_schema_refuses(what: str) -> None:
    spec = REFUSED[what]
    kind = spec["kind"] if spec["kind"] in KINDS else "TrainingJob"
    assert not validator(kind).is_valid(spec)


def test_every_kind_has_an_example_here_and_in_specs() -> None:
    assert {spec["kind"] for spec in TAKEN} == set(KINDS) == {read(path)["kind"] for path in SPECS}
