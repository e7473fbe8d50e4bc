"""B6, B7, B9 and C4: the fraud team's trainings lose nodes, and no more than the interval of their checkpoints."""

import re
from pathlib import Path

import yaml
from rehearsals import ROOT, rehearse


def test_a_crash_and_a_reclaimed_master_leave_the_model_of_an_undisturbed_run(tmp_path: Path) -> None:
    faults = "--kill", "worker-0@step=7", "--reclaim", "master-0@step=16"
    done = rehearse(tmp_path, "fraud-transformer", "--cluster", "aws-prod", "--scale", "2x1", *faults)
    assert done.code == 0, done.words
    assert done.pods == ["master-0", "worker-0"]
    assert {"4 nodes of 4 processes become 2 of 1", "4 nvidia.com/gpu of a container become 1"} <= set(
        done.record["notes"]
    )
    killed, reclaimed = done.verdict["faults"]
    assert killed["resumedStep"] == 5
    assert 2 <= killed["stepsLost"] <= 5
    assert reclaimed["stepsLost"] == 0
    assert done.verdict["endState"] == "same"


def test_a_spot_node_is_left_with_a_checkpoint_within_its_notice(tmp_path: Path) -> None:
    fault = "--reclaim", "worker-1@step=12,notice=15s"
    done = rehearse(
        tmp_path,
        *("fraud-transformer-spot", "--cluster", "gke-research", "--scale", "2x1", "--no-compare", *fault),
    )
    assert done.code == 0, done.words
    assert done.pods == ["worker-0", "worker-1"]
    (told,) = [event for event in done.events("told to stop", "worker-1") if event["seconds"] <= 15]
    left = next(event for event in done.events("ended", "worker-1") if event.get("container"))
    assert left["detail"]["exit_code"] == "143"
    assert left["at"] - told["at"] < 15
    (cost,) = done.verdict["faults"]
    assert cost["stepsLost"] == 0
    assert cost["resumedStep"] in {event["step"] for event in done.events("saved")}


def test_each_index_of_a_sweep_has_its_parameters_and_a_failed_one_is_tried_again_by_itself(
    tmp_path: Path,
) -> None:
    done = rehearse(
        tmp_path,
        *("--manifest", str(first_points(3, tmp_path)), "--scale", "2x1", "--no-compare"),
        *("--kill", "pod-1@step=4"),
    )
    assert done.code == 0, done.words
    assert done.pods == ["pod-0", "pod-1", "pod-2"]
    assert [len(done.events("created", pod)) for pod in done.pods] == [1, 2, 1]
    (cost,) = done.verdict["faults"]
    assert cost["resumedStep"] < 4 <= cost["lastStep"]  # it saves nothing, and begins anew
    logs = [done.log("pod-0", "train"), done.log("pod-1", "train", life=2), done.log("pod-2", "train")]
    assert (
        len({re.findall(r"loss [\d.]+", log)[-1] for log in logs}) == 3
    )  # all that differs is the learning rate


def first_points(count: int, folder: Path) -> Path:
    """The rendered sweep, ended after so many of its sixteen points."""
    copy = folder / "sweep.yaml"
    texts = [
        path.read_text("utf-8") for path in sorted((ROOT / "rendered/aws-prod/job-fraud-lr-sweep").iterdir())
    ]
    bodies = [yaml.safe_load(text) for text in texts]
    next(body for body in bodies if body["kind"] == "Job")["spec"]["completions"] = count
    copy.write_text(yaml.safe_dump_all(bodies), "utf-8")
    return copy


def test_boosted_trees_go_on_from_the_last_round_that_was_saved(tmp_path: Path) -> None:
    words = "--cluster", "aws-prod", "--scale", "2x1", "--reclaim", "master-0@step=100"
    done = rehearse(tmp_path, "card-boost", *words, env=("OMP_NUM_THREADS=1",))
    assert done.code == 0, done.words
    assert done.pods == ["master-0", "worker-0"]
    (cost,) = done.verdict["faults"]
    assert cost["stepsLost"] <= 20
    assert done.verdict["endState"] == "same"
    rounds = [int(each) for each in re.findall(r"round (\d+)/400", done.log("master-0", "xgboost", life=2))]
    assert 100 < rounds[0] <= 160
    assert rounds[-1] == 400
