"""Clusters that join and leave: what runs elsewhere stays as it is, and the overlays still build what is rendered."""

from pathlib import Path

import pytest
from sealed.shed import JOBS, LAB, WIDE, Shed, changed, job
from test_foreign_kustomize import kustomize as kustomize  # the fixture
from test_foreign_kustomize import read_objects, run_build

from trainshed.engine.client import Engine
from trainshed.engine.kustomize import build_many
from trainshed.engine.messages import Build
from trainshed.model.manifest import canonical_json, identify

EAST = LAB.replace("name: lab", "name: east").replace("{class: nfs,", "{class: nfs-east,")
DEFAULT = "defaults: {env: {NCCL_DEBUG: INFO}, clusters: [lab]}"


def add_east(shed: Shed) -> None:
    """A third cluster, and a default that is younger than what is sealed."""
    shed.write({"specs/clusters/east.yaml": EAST})
    quota = "  west: {quota: {h100: 4, cpu: 4}}\n"
    shed.edit("specs/teams/vision.yaml", quota, quota + quota.replace("west", "east"))
    shed.edit("specs/teams/vision.yaml", "defaults: {clusters: [lab]}", DEFAULT)


def build(shed: Shed, name: str, cluster: str) -> dict[str, str]:
    """What the engine's Kustomize makes of a committed overlay: canonical JSON by object."""
    overlays = {path: text for path, text in shed.tree(name).items() if path.startswith("overlays/")}
    with Engine() as engine:
        (result,) = build_many([Build(overlays, (f"overlays/job-vision-{name}/{cluster}",))], engine=engine)
    assert result.problem is None
    return {str(identify(body)): canonical_json(body) for body in result.objects}


def rendered(shed: Shed, name: str, cluster: str) -> dict[str, str]:
    folder = shed.path / f"rendered/{cluster}/job-vision-{name}"
    objects: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        objects |= read_objects(path.read_text("utf-8"))
    return objects


def test_a_cluster_that_joins_leaves_the_base_and_the_others_alone(shed: Shed) -> None:
    before = shed.tree("wide")
    add_east(shed)
    shed.edit_job("wide", "clusters: [lab, west]", "clusters: [lab, west, east]")
    shed.render()
    after = shed.tree("wide")
    assert {path: after[path] for path in before} == before
    joined = after.keys() - before.keys()
    assert {
        path.split("/")[2 if path.startswith("overlays") else 1] for path in joined if "/argocd/" not in path
    } == {"east"}
    assert any("NCCL_DEBUG" in after[path] for path in joined), "it has the defaults of today"
    assert any(path.startswith("overlays/job-vision-wide/east/patch-pytorchjob-") for path in joined)
    assert build(shed, "wide", "east") == rendered(shed, "wide", "east")
    assert build(shed, "wide", "lab") == rendered(shed, "wide", "lab")
    shed.check("--base", "main")
    shed.land()
    assert "nothing changed" in shed.render()


def test_patches_upon_a_frozen_base_take_away_what_a_default_no_longer_says(shed: Shed) -> None:
    shed.edit("specs/teams/vision.yaml", "defaults: {clusters: [lab]}", DEFAULT)
    shed.write({"specs/jobs/vision/two.yaml": job("two", WIDE, "lab, west")})
    shed.render()
    shed.land()
    add = shed.path / "specs/teams/vision.yaml"
    add.write_text(add.read_text().replace(DEFAULT, "defaults: {clusters: [lab]}"))
    add_east(shed)
    add.write_text(add.read_text().replace(DEFAULT, "defaults: {memory: 7Gi, clusters: [lab]}"))
    before = shed.tree("two")
    shed.edit_job("two", "clusters: [lab, west]", "clusters: [lab, west, east]")
    shed.render()
    after = shed.tree("two")
    assert {path: after[path] for path in before} == before
    (run,) = shed.runs("two", "east")
    patch = after[f"overlays/job-vision-two/east/patch-pytorchjob-{run}.yaml"]
    assert "op: remove" in patch or "op: replace" in patch
    assert "NCCL_DEBUG" not in str(rendered(shed, "two", "east"))
    assert build(shed, "two", "east") == rendered(shed, "two", "east")


@pytest.mark.parametrize("name", ["wide"])
def test_the_kustomize_that_people_install_builds_the_same(shed: Shed, kustomize: str, name: str) -> None:
    add_east(shed)
    shed.edit_job(name, "clusters: [lab, west]", "clusters: [lab, west, east]")
    shed.render()
    for cluster in ("lab", "west", "east"):
        overlay = Path(shed.path / f"overlays/job-vision-{name}/{cluster}")
        assert read_objects(run_build(kustomize, overlay)) == rendered(shed, name, cluster)


def test_objects_with_large_numbers_are_not_patched_upon_a_frozen_base(shed: Shed) -> None:
    raw = (
        "rawObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: large-notes, labels: {a: b}}, data: {a: b}}]\n"
        "deadline: 60d\n"
    )
    shed.write({"specs/jobs/vision/large.yaml": job("large", WIDE + raw, "lab, west")})
    shed.render()
    shed.land()
    before = shed.tree("large")
    assert "5184000" in str(rendered(shed, "large", "lab"))
    add_east(shed)
    shed.edit_job("large", "clusters: [lab, west]", "clusters: [lab, west, east]")
    shed.render()
    after = shed.tree("large")
    assert {path: after[path] for path in before} == before
    assert build(shed, "large", "east") == rendered(shed, "large", "east")
    shed.check("--base", "main")


def test_a_cluster_that_leaves_takes_its_own_files_only(shed: Shed) -> None:
    before = shed.tree("wide")
    shed.edit_job("wide", "clusters: [lab, west]", "clusters: [lab]")
    shed.render()
    gone = changed(before, shed.tree("wide"))
    assert gone
    assert all("/west/" in path for path in gone)
    assert build(shed, "wide", "lab") == rendered(shed, "wide", "lab")
    shed.check("--base", "main")
    shed.land()
    shed.edit_job("wide", "clusters: [lab]", "clusters: [lab, west]")
    shed.render()
    assert shed.tree("wide") == before, "it comes back as it was"


def test_words_for_one_cluster_start_a_run_on_that_cluster_only(shed: Shed) -> None:
    before = shed.tree("wide")
    shed.write(
        {"specs/jobs/vision/wide.yaml": JOBS["wide"].replace("[lab, west]", "{lab: {}, west: {memory: 8Gi}}")}
    )
    shed.render()
    after = shed.tree("wide")
    assert shed.runs("wide", "lab") != shed.runs("wide", "west")
    assert all("/west/" in path for path in changed(before, after)), "the base is frozen"
    assert build(shed, "wide", "west") == rendered(shed, "wide", "west")
    assert build(shed, "wide", "lab") == rendered(shed, "wide", "lab")
    shed.check("--base", "main")
    shed.land()
    assert "nothing changed" in shed.render()


def test_the_last_sealed_run_lets_go_of_the_base(shed: Shed) -> None:
    add_east(shed)
    shed.append("wide", "cpu: 2\n")
    shed.render()
    (run,) = shed.runs("wide")
    assert "NCCL_DEBUG" in shed.tree("wide")[f"overlays/job-vision-wide/base/pytorchjob-{run}.yaml"]
    assert build(shed, "wide", "lab") == rendered(shed, "wide", "lab")


def test_a_job_of_another_kind_by_cluster_keeps_what_is_sealed(shed: Shed) -> None:
    shed.write(
        {
            "specs/jobs/vision/mixed.yaml": job("mixed", WIDE).replace(
                "clusters: [lab]", "clusters: {lab: {}, west: {backend: jobset}}"
            )
        }
    )
    shed.render()
    shed.land()
    assert {shed.seal("mixed", cluster)["kind"] for cluster in ("lab", "west")} == {"PyTorchJob", "JobSet"}
    before = shed.tree("mixed")
    add_east(shed)
    shed.render()
    assert shed.tree("mixed") == before
