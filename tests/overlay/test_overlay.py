"""Manifests of one app on several clusters, factored into a base and overlays, and built back by Kustomize itself."""

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainshed.engine.client import Engine
from trainshed.hydrate import hydrate_tree
from trainshed.model.files import BuildTree
from trainshed.model.manifest import (
    AppId,
    AppManifests,
    JsonObject,
    Manifest,
    Manifests,
    Origins,
    canonical_json,
    identify,
)
from trainshed.model.source import Source
from trainshed.overlay import overlay_manifests

HERE = Origins(Source(PurePosixPath("specs/jobs/a.yaml")))
FILES = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}


def thing(name: str = "a", spec: Any = None, *, namespace: str = "team", kind: str = "Thing") -> JsonObject:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": "example.com/v1", "kind": kind, "metadata": metadata, "spec": spec or {}}


def factor(clusters: Mapping[str, list[JsonObject]], app: str = "job-a") -> BuildTree:
    apps = [
        AppManifests(
            AppId(cluster, app),
            tuple(Manifest(identify(body), canonical_json(body), HERE) for body in bodies),
        )
        for cluster, bodies in clusters.items()
    ]
    outcome = overlay_manifests(Manifests.of(apps))
    assert outcome.value is not None
    assert outcome.findings == ()
    return outcome.value


def documents(clusters: Mapping[str, list[JsonObject]]) -> dict[str, Any]:
    """Each file below overlays/job-a, as plain data."""
    (build,) = factor(clusters).builds
    return {
        str(path.relative_to("overlays/job-a")): json.loads(text) for path, text in build.documents.items()
    }


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


def test_one_cluster_shares_everything_with_itself() -> None:
    body = thing(spec={"x": 1})
    assert documents({"east": [body]}) == {
        "base/thing-a.yaml": body,
        "base/kustomization.yaml": {**FILES, "resources": ["thing-a.yaml"]},
        "east/kustomization.yaml": {**FILES, "resources": ["../base"]},
    }


def test_what_differs_becomes_a_patch_on_each_cluster() -> None:
    found = documents(
        {
            "east": [thing(spec={"x": 1, "args": ["a"]})],
            "west": [thing(spec={"x": 1, "args": ["a", "b"], "y": {"z": 0}})],
        }
    )
    target = {"group": "example.com", "version": "v1", "kind": "Thing", "name": "a", "namespace": "team"}
    patched = {
        **FILES,
        "resources": ["../base"],
        "patches": [{"path": "patch-thing-a.yaml", "target": target}],
    }
    assert found == {
        "base/thing-a.yaml": thing(spec={"x": 1}),
        "base/kustomization.yaml": {**FILES, "resources": ["thing-a.yaml"]},
        "east/kustomization.yaml": patched,
        "east/patch-thing-a.yaml": [{"op": "add", "path": "/spec/args", "value": ["a"]}],
        "west/kustomization.yaml": patched,
        "west/patch-thing-a.yaml": [
            {"op": "add", "path": "/spec/args", "value": ["a", "b"]},
            {"op": "add", "path": "/spec/y", "value": {"z": 0}},
        ],
    }


def test_an_object_that_one_cluster_lacks_is_not_in_the_base() -> None:
    found = documents({"east": [thing(), thing("only")], "west": [thing()]})
    assert sorted(found) == [
        "base/kustomization.yaml",
        "base/thing-a.yaml",
        "east/kustomization.yaml",
        "east/thing-only.yaml",
        "west/kustomization.yaml",
    ]
    assert found["east/kustomization.yaml"] == {**FILES, "resources": ["../base", "thing-only.yaml"]}


def test_objects_of_different_names_are_never_patched_into_one_another() -> None:
    found = documents({"east": [thing("a-1")], "west": [thing("a-2")]})
    assert found == {
        "east/kustomization.yaml": {**FILES, "resources": ["thing-a-1.yaml"]},
        "east/thing-a-1.yaml": thing("a-1"),
        "west/kustomization.yaml": {**FILES, "resources": ["thing-a-2.yaml"]},
        "west/thing-a-2.yaml": thing("a-2"),
    }


@pytest.mark.parametrize("number", [1_000_000, -1_000_000, 1_000_660_000, 2**53])
def test_an_object_whose_numbers_a_patch_would_bend_stays_out_of_the_base(number: int) -> None:
    clusters = {
        "east": [thing(spec={"runAsUser": number})],
        "west": [thing(spec={"runAsUser": number, "x": 1})],
    }
    assert sorted(documents(clusters)) == [
        f"{cluster}/{name}.yaml" for cluster in ("east", "west") for name in ("kustomization", "thing-a")
    ]
    equal = {"east": clusters["east"], "west": clusters["east"]}
    assert documents(equal)["base/thing-a.yaml"] == clusters["east"][0]


def test_a_smaller_number_is_shared() -> None:
    clusters = {"east": [thing(spec={"a": 999_999})], "west": [thing(spec={"a": 999_999, "x": 1})]}
    assert documents(clusters)["base/thing-a.yaml"] == thing(spec={"a": 999_999})


def test_apps_without_overlays_are_passed_on_as_they_are() -> None:
    direct = AppManifests(AppId("east", "argocd/root"), (), has_overlay=False)
    outcome = overlay_manifests(Manifests((direct,)))
    assert outcome.value == BuildTree((), (direct,))


# Kubernetes objects hold no null, and their keys are texts that are not empty.
texts = st.sampled_from(
    ["a", "", "1", "true", "no", "~", "0x1F", "1e3", "a: b", "# c", "- d", "é", "|", "a\nb\n", " e"]
)
scalars = st.booleans() | st.integers(-(2**53), 2**53) | texts
keys = st.sampled_from(["a", "b", "c", "d/e", "f~g", "1", "true", "é"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
objects = st.lists(
    st.builds(
        lambda name, spec, kind: thing(name, spec, kind=kind),
        st.sampled_from(["a", "ab", "a-b"]),
        st.dictionaries(keys, values, max_size=4),
        st.sampled_from(["Thing", "Other"]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda body: str(identify(body)),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["east", "north", "west"]), objects, min_size=1))
def test_kustomize_builds_back_exactly_what_was_factored(
    engine: Engine, clusters: dict[str, list[JsonObject]]
) -> None:
    rendered = hydrate_tree(factor(clusters), {}, engine)
    assert rendered.findings == ()
    assert rendered.value is not None
    assert {(one.app.cluster, one.manifest.text) for one in rendered.value.objects} == {
        (cluster, canonical_json(body)) for cluster, bodies in clusters.items() for body in bodies
    }


def test_a_build_that_gives_something_else_is_found(engine: Engine) -> None:
    (build,) = factor({"east": [thing(spec={"x": 1})]}).builds
    wrong = dict(build.documents)
    wrong[PurePosixPath("overlays/job-a/base/thing-a.yaml")] = canonical_json(thing(spec={"x": 2}))
    broken = type(build)(build.app, wrong, build.roots, build.expected)
    outcome = hydrate_tree(BuildTree((broken,), ()), {}, engine)
    assert [(finding.code, str(finding.source)) for finding in outcome.findings] == [
        ("build-differs", "specs/jobs/a.yaml:1:1")
    ]


def test_a_tree_that_kustomize_cannot_build_is_found(engine: Engine) -> None:
    (build,) = factor({"east": [thing()]}).builds
    without = {path: text for path, text in build.documents.items() if path.name != "thing-a.yaml"}
    outcome = hydrate_tree(
        BuildTree((type(build)(build.app, without, build.roots, build.expected),), ()), {}, engine
    )
    assert [finding.code for finding in outcome.findings] == ["build-failed"]
