"""What `trainshed diff` says of objects and risks, in real repositories."""

from typing import Any

from repositories import CLUSTER
from review.conftest import Branch


def rows(review: dict[str, Any], part: str, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in review[part]]


def test_claim_that_leaves_git_stays_in_the_cluster(branch: Branch) -> None:
    branch.edit("specs/teams/vision.yaml", "  data: {storage: shared, size: 1Ti}\n", "")
    review = branch.review()
    assert ("deleted", "PersistentVolumeClaim", "data", True) in rows(
        review, "objects", "verb", "kind", "name", "staysInCluster"
    )
    (risk,) = [risk for risk in review["risks"] if risk["kind"] == "data at risk"]
    assert risk["sentence"] == (
        "PersistentVolumeClaim team-vision/data leaves Git and stays in the cluster with its data, "
        "until somebody deletes it there"
    )
    assert [app["cluster"] for app in risk["apps"]] == ["edge", "lab"]
    assert [(line["path"], line["line"]) for line in risk["sources"]] == [("specs/teams/vision.yaml", 8)]


def test_more_quota_is_a_risk_at_the_very_word(branch: Branch) -> None:
    branch.edit("specs/teams/vision.yaml", "h100: 4, cpu: 4", "h100: 4, cpu: 3")
    branch.edit("specs/teams/vision.yaml", "h100: 4, cpu: 3", "h100: 3, cpu: 4")
    assert "raises quota" not in branch.diff().out
    branch.edit(
        "specs/clusters/lab.yaml",
        "h100: {machine: onprem/dgx-h100, nodes: 4",
        "h100: {machine: onprem/dgx-h100, nodes: 8",
    )
    branch.edit("specs/teams/vision.yaml", "h100: 3, cpu: 4", "h100: 8, cpu: 4")
    (risk,) = [risk for risk in branch.review()["risks"] if risk["kind"] == "raises quota"]
    assert risk["sentence"].startswith("ClusterQueue vision may use more of h100: ")
    assert "64 nvidia.com/gpu (32 nvidia.com/gpu before)" in risk["sentence"]
    assert (risk["sources"][0]["path"], risk["sources"][0]["line"]) == ("specs/teams/vision.yaml", 5)


def test_operator_of_another_release_is_a_risk_and_touches_no_run(branch: Branch) -> None:
    branch.edit("specs/clusters/lab.yaml", "kuberay: v1.6.2", "kuberay: v1.2.2")
    review = branch.review()
    (risk,) = [risk for risk in review["risks"] if risk["kind"] == "operator changes"]
    assert "operator kuberay goes from ray-operator/v1.6.2 to ray-operator/v1.2.2" in risk["sentence"]
    assert risk["sources"][0]["path"] == "specs/clusters/lab.yaml"
    assert review["runs"] == []


def test_new_cluster_is_created_whole_and_restarts_nothing(branch: Branch) -> None:
    branch.project.write({"specs/clusters/north.yaml": CLUSTER.replace("name: lab", "name: north")})
    branch.edit("specs/teams/vision.yaml", "  edge: {}", "  edge: {}\n  north: {}")
    review = branch.review()
    assert review["runs"] == []
    assert {row[0] for row in rows(review, "objects", "cluster") if row} == {"north"}
    assert {row[0] for row in rows(review, "objects", "verb")} == {"created"}
    assert ("cluster north", "created") in rows(review, "causes", "subject", "verb")


def test_new_run_says_what_a_reviewer_asks_of_it(branch: Branch) -> None:
    job = (branch.project.path / "specs/jobs/vision/resnet.yaml").read_text("utf-8")
    branch.project.write(
        {"specs/jobs/vision/second.yaml": job.replace("name: resnet", "name: second\nmemory: 4Gi")}
    )
    review = branch.review()
    run = review["runs"][0]
    fields = {field["words"]: field["after"] for field in run["fields"]}
    assert fields["image"] == "registry.example.com/vision/train:1.0"
    assert fields["memory"] == "4Gi"
    assert fields["command"] == "python -m train"
    assert review["following"] == {"Application": 2}
    (risk,) = review["risks"]
    assert risk["sentence"].startswith("registry.example.com/vision/train:1.0 is pinned by no digest")


def test_team_that_goes_names_its_namespace(branch: Branch) -> None:
    for path in ("teams/vision", "jobs/vision/resnet", "jobs/vision/bert", "jobs/vision/nightly"):
        branch.remove(f"specs/{path}.yaml")
    kinds = {kind for (kind,) in rows(branch.review(), "risks", "kind")}
    assert {"namespace goes", "data at risk", "ends a run"} <= kinds


def test_same_policy_on_every_cluster_is_told_once(branch: Branch) -> None:
    branch.edit("specs/teams/vision.yaml", "name: vision\n", "name: vision\nowner: vision-leads\n")
    out = branch.diff().out
    (namespaces,) = [line for line in out.splitlines() if "× Namespace team-vision" in line]
    assert namespaces.startswith("  ~ change 2 × Namespace team-vision")
    assert "label trainshed.dev/owner: vision-leads (new)" in out
    assert "the same on edge, lab, in team-vision" in out
