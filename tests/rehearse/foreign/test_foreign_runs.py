"""Manifests in the manner of the operators' own examples, none of ours inside: really run, and struck."""

import json
from pathlib import Path

from rehearsals import Rehearsed, rehearse

HERE = Path(__file__).parent


def run(folder: Path, name: str, *arguments: str) -> Rehearsed:
    return rehearse(folder, "--manifest", str(HERE / f"{name}.yaml"), *arguments, env=("OMP_NUM_THREADS=1",))


def test_a_pytorchjob_of_foreign_code_goes_on_from_the_step_that_it_saved_itself(tmp_path: Path) -> None:
    done = run(tmp_path, "pytorchjob-digits", "--kill", "worker-0@step=8", "--no-compare")
    assert done.code == 0, done.words
    assert "I am 0/2 and 0 of 2" in done.log("master-0", "pytorch")
    assert "I am 1/2 and 1 of 2" in done.log("worker-0", "pytorch")
    assert len(done.events("restarted", "worker-0")) >= 1
    assert (done.claim("save") / "step").read_text() == "30"


def test_an_elastic_pytorchjob_meets_at_its_first_worker(tmp_path: Path) -> None:
    done = run(tmp_path, "pytorchjob-elastic", "--scale", "2x1")
    assert done.code == 0, done.words
    assert "nodes ['0', '1'] at echo-worker-0:23456 of 2:2" in done.log("worker-0", "pytorch")


def test_an_indexed_job_gives_up_the_index_whose_code_its_policy_names(tmp_path: Path) -> None:
    done = run(tmp_path, "job-shards", "--scale", "off")
    assert done.code == 1
    assert done.verdict["reason"] == "FailedIndexes"
    assert [len(done.events("created", pod)) for pod in ("pod-0", "pod-1", "pod-2")] == [1, 1, 1]
    assert "has shard-2" in done.log("pod-2", "main")
    assert "watching" in done.log("pod-2", "log")


def test_the_workers_of_a_jobset_begin_after_its_driver_and_find_it_by_name(tmp_path: Path) -> None:
    done = run(tmp_path, "jobset-driver", "--scale", "off")
    assert done.code == 0, done.words
    order = [event["pod"] for event in done.events("created")]
    assert order[0].startswith("driver")
    assert len(order) == 3
    assert sorted(done.log(pod, "worker").strip() for pod in order[1:]) == [
        "0 heard hello from the driver",
        "1 heard hello from the driver",
    ]


def test_a_trainjob_has_the_nodes_that_its_runtime_says(tmp_path: Path) -> None:
    done = run(tmp_path, "trainjob-runtime", "--scale", "off")
    assert done.code == 0, done.words
    assert [done.log(pod, "node").strip() for pod in done.pods] == [
        "node 0 of 2 at sum-node-0-0.sum",
        "node 1 of 2 at sum-node-0-0.sum",
    ]


def test_each_process_of_a_tfjob_is_told_of_all_others_and_the_chief_ends_it(tmp_path: Path) -> None:
    done = run(tmp_path, "tfjob-config", "--scale", "off")
    assert done.code == 0, done.words
    told = json.loads(done.log("worker-1", "tensorflow"))
    assert told["task"] == {"type": "worker", "index": 1}
    assert {role: len(hosts) for role, hosts in told["cluster"].items()} == {"chief": 1, "worker": 2, "ps": 1}
    assert "strategy-worker-1" in told["cluster"]["worker"][1]
    assert done.verdict["message"] == "chief-0 succeeded"
