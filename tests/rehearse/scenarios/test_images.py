"""B1 and B2: the same network, once on nodes that have to stay, once on nodes that may go."""

from pathlib import Path

from rehearsals import rehearse


def test_a_killed_worker_ends_a_job_whose_spec_grants_no_restart(tmp_path: Path) -> None:
    words = "--cluster", "gke-research", "--scale", "2x1", "--kill", "worker-0@step=3", "--no-compare"
    done = rehearse(tmp_path, "resnet50", *words)
    assert done.code == 1
    assert done.pods == ["master-0", "worker-0"]
    assert "3 nodes of 1 process become 2 of 1" in done.record["notes"]
    assert done.verdict["reason"] == "PyTorchJobFailed"
    assert done.verdict["message"] == "a pod failed, and backoffLimit is 0"
    assert len(done.events("created", "worker-0")) == 1


def test_an_elastic_job_saves_when_a_node_is_reclaimed_and_goes_on_with_the_pod_in_its_place(
    tmp_path: Path,
) -> None:
    words = "--cluster", "gke-research", "--scale", "2x1", "--reclaim", "worker-1@step=12", "--no-compare"
    done = rehearse(tmp_path, "resnet50-elastic", *words)
    assert done.code == 0, done.words
    assert done.pods == ["worker-0", "worker-1"]
    (fault,) = done.verdict["faults"]
    assert fault["stepsLost"] == 0
    assert fault["resumedStep"] == fault["lastStep"] >= 12
    assert len(done.events("created", "worker-1")) == 2
    assert len(done.events("created", "worker-0")) == 1
    assert {event["detail"]["world"] for event in done.events("resumed")} == {"2"}
    assert done.verdict["message"] == "Workers succeeded"


def test_an_elastic_job_goes_on_with_its_least_nodes_while_there_is_none_for_another(tmp_path: Path) -> None:
    fault = "--reclaim", "worker-2@step=12,away=10m"
    words = "--cluster", "gke-research", "--scale", "3x1", "--no-compare", *fault
    done = rehearse(tmp_path, "resnet50-elastic", *words)
    assert done.code == 0, done.words
    assert done.pods == ["worker-0", "worker-1", "worker-2"]
    (cost,) = done.verdict["faults"]
    assert cost["stepsLost"] == 0
    assert "worker-2 is pending: there is no node for it" in done.record["notes"]
    assert [len(done.events("created", pod)) for pod in done.pods] == [1, 1, 1]
    assert {event["detail"]["world"] for event in done.events("resumed")} == {"2"}
