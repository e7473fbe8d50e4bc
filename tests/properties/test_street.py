"""What a well-typed job asks for is rendered, built by Kustomize, and judged: nothing invalid leaves."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.wishes import job_files, wishes
from stages.street import Files, resolve

from trainshed.compile.node import prepare_node
from trainshed.engine.client import Engine
from trainshed.engine.verdicts import validate
from trainshed.hydrate import hydrate_tree
from trainshed.model.files import Rendered
from trainshed.model.manifest import Manifests
from trainshed.model.shipped import SHIPPED
from trainshed.overlay import overlay_manifests
from trainshed.validate.schemas import schema_folders

TWO_CLUSTERS = {"lab": {}, "annex": {}}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as running:
        yield running


def with_annex(files: Files) -> Files:
    """A second cluster of other releases, and the team on it."""
    lab, team = str(files["specs/clusters/lab.yaml"]), str(files["specs/teams/vision.yaml"])
    annex = lab.replace("name: lab", "name: annex").replace("kueue: v0.19.2", "kueue: v0.14.0")
    quota = "  lab: {quota: {h100: 4, cpu: 4}}\n"
    return {
        **files,
        "specs/clusters/annex.yaml": annex.replace("onprem/dgx-h100, nodes: 4", "onprem/dgx-h100, nodes: 8"),
        "specs/teams/vision.yaml": team.replace(quota, quota + quota.replace("lab", "annex")),
    }


def render(files: Files, engine: Engine) -> Rendered:
    """The job's app on every cluster, as it would be written."""
    prepare_node()
    from trainshed.compile.apps import compile_target

    resolved = resolve(files)
    assert [finding for finding in resolved.findings if finding.severity == "error"] == []
    tree = overlay_manifests(Manifests.of(map(compile_target, resolved.plan.targets))).value
    assert tree is not None
    outcome = hydrate_tree(tree, {}, engine)
    assert outcome.findings == ()
    assert outcome.value is not None
    for one in outcome.value.objects:
        folders = schema_folders(resolved.plan.clusters[one.app.cluster], SHIPPED[0])
        (verdict,) = validate([one.manifest.body], folders, engine=engine)
        assert verdict.violations == (), one.path
    return outcome.value


@settings(max_examples=40, deadline=None)
@given(wishes(), st.fixed_dictionaries({}, optional={"cpu": st.just(3), "env": st.just({"HERE": "annex"})}))
def test_every_wish_is_built_by_kustomize_and_fits_the_schemas_of_both_clusters(
    engine: Engine, wish: dict[str, Any], annex: dict[str, Any]
) -> None:
    files = with_annex(job_files("resnet", wish | {"clusters": TWO_CLUSTERS | {"annex": annex}}))
    rendered = render(files, engine)
    assert {one.app.cluster for one in rendered.objects} == {"annex", "lab"}
    assert len({one.path for one in rendered.objects}) == len(rendered.objects)
    for one in rendered.objects:
        assert one.path.parts[:3] == ("rendered", one.app.cluster, "job-vision-resnet")


@settings(max_examples=40, deadline=None)
@given(wishes(), st.integers(0, 2**16))
def test_the_order_of_words_changes_nothing(wish: dict[str, Any], seed: int) -> None:
    shuffled = list(wish.items())
    random.Random(seed).shuffle(shuffled)
    first, second = (resolve(job_files("resnet", words)).target() for words in (wish, dict(shuffled)))
    assert (first.run, first.lineage, first.groups) == (second.run, second.lineage, second.groups)


@settings(max_examples=40, deadline=None)
@given(wishes())
def test_yaml_in_blocks_says_the_same_as_json(wish: dict[str, Any]) -> None:
    files = job_files("resnet", wish)
    path = "specs/jobs/vision/resnet.yaml"
    spread = json.dumps(json.loads(files[path]), indent=1, ensure_ascii=True)
    first, second = resolve(files).target(), resolve({**files, path: spread}).target()
    assert (first.digest, first.lineage, first.env) == (second.digest, second.lineage, second.env)
