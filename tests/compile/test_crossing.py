"""Bodies cross to Node and back as text: nothing on the way bends a value."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repositories import SMALL, Project

from trainshed.compile.node import CHANGES_OUTPUT, prepare_node
from trainshed.model.manifest import AppId, JsonObject, Manifest, Origins, canonical_json
from trainshed.model.source import Source

ORIGINS = Origins(Source(PurePosixPath("specs/a.yaml")))
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


def thing(name: str, data: Any) -> JsonObject:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name}, "data": data}


def cross(bodies: list[JsonObject]) -> tuple[Manifest, ...]:
    prepare_node()
    from trainshed.compile.objects import PlainObject
    from trainshed.compile.synth import synthesize

    def build(scope: Any) -> list[Any]:
        return [PlainObject(scope, f"o{index}", body, ORIGINS) for index, body in enumerate(bodies)]

    return synthesize(AppId("lab", "a"), build).manifests


@pytest.mark.parametrize(
    "value",
    [
        2**60,
        2**53 + 1,
        -(2**63),
        10**30,
        None,
        1.0,
        1,
        True,
        0,
        0.0,
        False,
        1e-7,
        1e22,
        "",
        [],
        {},
        [None],
        {"a": None},
        "1",
        "true",
        "é\u2028\u0000😀",
        "${Token[TOKEN.1]}",
        "$jsii.byref",
        {"$jsii.date": "2020-01-01"},
        {"": {"": []}},
    ],
    ids=repr,
)
def test_a_value_comes_back_as_it_went(value: Any) -> None:
    (manifest,) = cross([thing("a", value)])
    assert manifest.text == canonical_json(thing("a", value))


@settings(max_examples=50, deadline=None)
@given(values)
def test_any_value_comes_back_as_it_went(value: Any) -> None:
    (manifest,) = cross([thing("a", value)])
    assert manifest.text == canonical_json(thing("a", value))


def test_true_and_one_are_told_apart() -> None:
    assert cross([thing("a", True)])[0].text != cross([thing("a", 1)])[0].text
    assert cross([thing("a", 1.0)])[0].text != cross([thing("a", 1)])[0].text


def test_objects_come_in_the_order_of_their_identities_with_their_origins() -> None:
    manifests = cross([thing("b", 1), thing("a", 2), thing("a-1", 3)])
    assert [(manifest.identity.name, manifest.body["data"]) for manifest in manifests] == [
        ("a", 2),
        ("a-1", 3),
        ("b", 1),
    ]
    assert {manifest.origins for manifest in manifests} == {ORIGINS}


def test_variables_that_cdk8s_reads_change_nothing(project: Callable[[Mapping[str, str]], Project]) -> None:
    written = project(SMALL)
    values = {"CDK8S_OUTDIR": "/nowhere", "CDK8S_DISABLE_SORT": "1", "CDK8S_LEGACY_HASH": "1"}
    switched = dict.fromkeys(CHANGES_OUTPUT, "true") | values
    plain, bent = written.run("show", "resnet"), written.run("show", "resnet", env=switched)
    assert plain.code == 0
    assert bent == plain
    assert not (written.path / "dist").exists()


def test_the_node_of_the_machine_is_not_asked(
    project: Callable[[Mapping[str, str]], Project], tmp_path: Path
) -> None:
    written = project(SMALL)
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "node").write_text("#!/bin/sh\nexit 9\n")
    (trap / "node").chmod(0o755)
    path = os.pathsep.join([str(trap), os.path.dirname(sys.executable), os.environ["PATH"]])
    assert written.run("show", "resnet", env={"PATH": path, "JSII_NODE": str(trap / "node")}).code == 0
