"""What Kustomize makes of an overlay is compared with what was compiled; no spec can make them differ."""

import json
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

from trainshed.engine.client import Caller
from trainshed.engine.pool import EnginePool
from trainshed.hydrate import hydrate_tree
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Findings, error
from trainshed.model.files import AppBuild, BuildTree
from trainshed.model.manifest import AppId, Manifest, Origins, canonical_json, identify
from trainshed.model.source import Source

APP = AppId("lab", "job-vision-resnet")
ROOT = PurePosixPath("overlays/job-vision-resnet/lab")
SPEC = Source(PurePosixPath("specs/jobs/vision/resnet.yaml"), 3, 7, 6)


@pytest.fixture(scope="module")
def engine() -> Iterator[Caller]:
    with EnginePool() as pool:
        yield pool


def settings(value: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "namespace": "team-vision"},
        "data": {"epochs": value},
    }


def build(kustomization: dict[str, object], compiled: dict[str, object], engine: Caller) -> Findings:
    manifest = Manifest(identify(compiled), canonical_json(compiled), Origins(SPEC))
    documents = {
        ROOT / "kustomization.yaml": json.dumps(kustomization),
        ROOT / "settings.yaml": canonical_json(settings("20")),
    }
    tree = BuildTree((AppBuild(APP.app, documents, {APP: ROOT}, {APP: (manifest,)}),), ())
    return hydrate_tree(tree, {}, engine).findings


def test_an_overlay_that_gives_what_was_compiled_has_no_finding(engine: Caller) -> None:
    assert build({"resources": ["settings.yaml"]}, settings("20"), engine) == ()


def test_a_build_that_gives_something_else_is_our_own_fault(engine: Caller) -> None:
    assert build({"resources": ["settings.yaml"]}, settings("21"), engine) == (
        error(
            Code.BUILD_DIFFERS,
            SPEC,
            "overlays/job-vision-resnet/lab does not build the ConfigMap team-vision/settings that was compiled",
            "this is a fault of trainshed, please report it",
        ),
    )


def test_a_kustomization_that_cannot_be_built_is_our_own_fault(engine: Caller) -> None:
    findings = build({"resources": ["missing.yaml"]}, settings("20"), engine)
    assert [(finding.code, finding.summary) for finding in findings] == [
        (Code.BUILD_FAILED, "Kustomize cannot build overlays/job-vision-resnet/lab")
    ]
    assert findings[0].source == Source(ROOT / "kustomization.yaml", 2)
    assert findings[0].detail.endswith("; this is a fault of trainshed, please report it")
