"""Nodes that are imagined from a cluster's pools, for a queue that looks where pods would go."""

from pathlib import Path

import pytest
from kinds.queued import JOB, KUEUE, PLACE, TOPOLOGY, cluster, job, team
from repositories import write_project

from trainshed.validate.nodes import unknown_labels

NODE = {"metadata": {"labels": {"pool": "h100"}}}


def render(folder: Path, words: str) -> tuple[int, str]:
    """The exit code and the report of a cluster with blocks and racks, and such a job."""
    files = {
        "specs/clusters/lab.yaml": cluster(KUEUE + TOPOLOGY),
        "specs/teams/vision.yaml": team(),
        PLACE: job(words),
    }
    result = write_project(folder, files).run("render")
    return result.code, result.out


def test_a_run_that_the_pools_have_room_for_is_judged_and_passes(tmp_path: Path) -> None:
    code, report = render(tmp_path, JOB + "topology: {required: rack}\n")

    assert code == 0
    assert "unjudged" not in report
    assert "never-admitted" not in report


def test_what_has_room_on_no_host_has_room_nowhere(tmp_path: Path) -> None:
    code, report = render(tmp_path, JOB + "topology: {required: host}\n")

    assert code == 1
    assert "error[never-admitted]: PyTorchJob team-vision/near" in report


@pytest.mark.parametrize(
    "words",
    [
        "nodeSelector: {example.com/firmware: '7'}\n",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
        " [{matchExpressions: [{key: example.com/firmware, operator: In, values: ['7']}]}]}}}\n",
    ],
)
def test_a_label_that_no_pool_names_is_not_held_against_a_run(tmp_path: Path, words: str) -> None:
    """Nodes of a pool may have labels that nobody wrote down."""
    code, report = render(tmp_path, JOB + words)

    assert code == 0
    assert "warning[unjudged]: whether PyTorchJob team-vision/near" in report
    assert "no pool says which nodes have the label example.com/firmware" in report


@pytest.mark.parametrize(
    "terms",
    [None, [None], [{}], [{"matchExpressions": None}], [{"matchExpressions": [None, {}, {"key": 7}]}], 7],
)
def test_a_malformed_affinity_asks_for_no_label(terms: object) -> None:
    body = {"spec": {"nodeSelector": None, "affinity": {"nodeSelectorTerms": terms}}}
    assert unknown_labels(body, [NODE]) == []


def test_where_no_node_is_imagined_no_label_is_unknown() -> None:
    assert unknown_labels({"nodeSelector": {"a": "b"}}, []) == []
    assert unknown_labels({"nodeSelector": {"a": "b", "pool": "x"}}, [NODE]) == ["a"]
