"""Told to stop: all ranks save, and every container says 143."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from runtime.loop.pods import HERE, Cluster, Pod, until

SLOW = {"STEP_SECONDS": 0.1, "TRAINSHED_CHECKPOINT_EVERY_STEPS": 1000}


def test_one_pod_of_two_is_told_and_the_other_waits_for_the_one_in_its_place(cluster: Cluster) -> None:
    port = cluster.port()
    first, second = cluster.train_in_two(port=port, STEP_SECONDS=0.1, TRAINSHED_CHECKPOINT_EVERY_STEPS=1000)
    until(lambda: min(first.step(), second.step()) >= 3, "three steps are done")
    second.terminate()
    assert second.code() == 143
    until(lambda: first.events("left"), "the other pod's rank has left as well")
    (left,) = {event["step"] for pod in (first, second) for event in pod.events("left")}
    assert saved_steps(cluster) == [left]
    assert left == max(step["step"] for step in cluster.steps())
    replaced = cluster.replace(second)
    assert [pod.code() for pod in (first, replaced)] == [0, 0]
    assert {event["step"] for pod in (first, replaced) for event in pod.events("resumed")} == {left}


def test_below_torchrun_the_pod_that_stays_meets_the_new_one_though_torchrun_says_1(cluster: Cluster) -> None:
    place = ("--nnodes=2", "--master-addr=127.0.0.1", f"--master-port={cluster.port()}", "--max-restarts=3")
    first, second = (cluster.torchrun(*place, f"--node-rank={node}", **SLOW) for node in range(2))
    until(lambda: min(first.step(), second.step()) >= 3, "three steps are done")
    second.terminate()
    assert second.code() == 143
    until(lambda: first.events("left"), "the other pod's rank has left as well")
    (left,) = {event["step"] for pod in (first, second) for event in pod.events("left")}
    assert saved_steps(cluster) == [left]
    replaced = cluster.replace(second)
    assert [pod.code() for pod in (first, replaced)] == [0, 0]
    assert {event["step"] for pod in (first, replaced) for event in pod.events("resumed")} == {left}


def test_the_first_node_may_be_the_one_that_is_replaced(cluster: Cluster) -> None:
    place = ("--nnodes=2", "--master-addr=127.0.0.1", f"--master-port={cluster.port()}")
    first, second = (cluster.torchrun(*place, f"--node-rank={node}", **SLOW) for node in range(2))
    until(lambda: min(first.step(), second.step()) >= 3, "three steps are done")
    first.terminate()
    assert first.code() == 143
    until(lambda: second.events("left"), "the other pod's rank has left as well")
    replaced = cluster.replace(first)
    assert [pod.code() for pod in (replaced, second)] == [0, 0]


def test_who_waits_for_another_node_leaves_when_told_itself(cluster: Cluster) -> None:
    first, second = cluster.train_in_two(**SLOW)
    until(lambda: min(first.step(), second.step()) >= 3, "three steps are done")
    second.terminate()
    until(lambda: "starting again" in first.said(), "the other pod waits")
    first.terminate()
    assert first.code() == 143


def test_below_a_torchrun_of_its_own_making_two_ranks_leave_with_143(cluster: Cluster) -> None:
    cluster.python = [sys.executable]  # nothing shared with other processes
    pod = cluster.torchrun("--standalone", "--nproc-per-node=2", "--max-restarts=3", **SLOW)
    until(lambda: pod.step() >= 2, "two steps are done")
    pod.terminate()
    assert pod.code() == 143
    assert [event["step"] for event in pod.events("left")] == 2 * saved_steps(cluster)


def test_a_signal_during_a_save_leaves_after_that_save(cluster: Cluster) -> None:
    pod = cluster.train(SAVE_SECONDS=1, TRAINSHED_CHECKPOINT_EVERY_STEPS=2)
    until(lambda: doing(pod) == "saving", "a save has begun")
    pod.terminate()
    assert pod.code() == 143
    assert saved_steps(cluster) == [2]
    assert {step["step"] for step in cluster.steps()} == {1, 2}


def test_a_signal_before_the_first_step_is_over_leaves_with_143_on_both_pods(cluster: Cluster) -> None:
    pods = cluster.train_in_two(STEP_SECONDS=2)
    until(lambda: doing(pods[0]) == "starting", "a rank has begun")
    for pod in pods:
        pod.terminate()
    assert [pod.code() for pod in pods] == [143, 143]
    assert saved_steps(cluster) in ([], [1])  # the signal may find the first step begun


def test_a_signal_before_there_is_a_rank_leaves_with_143(cluster: Cluster) -> None:
    pod = cluster.start("sh", "-c", "echo up; exec sleep 60")
    until(lambda: "up" in pod.said(), "the command runs")
    pod.terminate()
    assert pod.code() == 143


def test_a_second_signal_changes_nothing(cluster: Cluster) -> None:
    pod = cluster.train(SAVE_SECONDS=1, **SLOW)
    until(lambda: pod.step() >= 2, "two steps are done")
    pod.terminate()
    until(lambda: doing(pod) == "leaving", "the emergency save has begun")
    pod.terminate()
    os.kill(pod.notes()[0]["pid"], signal.SIGTERM)
    assert pod.code() == 143
    assert saved_steps(cluster) == [pod.step()]


def test_a_save_that_outlasts_the_budget_is_given_up_and_the_older_checkpoint_stays(cluster: Cluster) -> None:
    pod = cluster.train(STEP_SECONDS=0.1, TRAINSHED_CHECKPOINT_EVERY_STEPS=5)
    until(lambda: pod.step() >= 6, "a checkpoint is there")
    pod.kill()
    pod.code()
    pod = cluster.train(SAVE_SECONDS=30, TRAINSHED_GRACE_SECONDS=3, **SLOW)
    until(lambda: pod.step() >= 7, "it goes on")
    pod.terminate()
    told = time.monotonic()
    assert pod.code() == 143
    assert time.monotonic() - told < 3
    assert saved_steps(cluster) == [5]


def test_a_node_to_be_reclaimed_is_left_in_time(cluster: Cluster, tmp_path: Path) -> None:
    notice = tmp_path / "notice"
    pod = cluster.train(TRAINSHED_NOTICE=notice, **SLOW)
    until(lambda: pod.step() >= 2, "two steps are done")
    notice.touch()
    assert pod.code() == 143
    assert saved_steps(cluster) == [pod.step()]


def test_a_plain_process_without_a_launcher_leaves_with_143_too(cluster: Cluster) -> None:
    pod = cluster.start(*cluster.python, str(HERE / "programs" / "train.py"), launched=False, **SLOW)
    until(lambda: pod.step() >= 2, "two steps are done")
    pod.terminate()
    assert pod.code() == 143
    assert saved_steps(cluster) == [pod.step()]


def test_a_crash_leaves_with_its_own_code(cluster: Cluster) -> None:
    assert cluster.train(FAIL_AT=3).code() == 3


def test_a_crash_below_torchrun_leaves_with_the_code_of_the_rank(cluster: Cluster) -> None:
    assert cluster.torchrun("--standalone", "--nproc-per-node=2", FAIL_AT=3).code() == 3


def test_a_rank_that_is_killed_fails_the_run_on_every_pod_and_not_with_143(cluster: Cluster) -> None:
    pods = cluster.train_in_two(**SLOW)
    until(lambda: min(pod.step() for pod in pods) >= 2, "two steps are done")
    os.kill(pods[1].notes()[1]["pid"], signal.SIGKILL)
    assert pods[1].code() == 137
    assert pods[0].code() == 1


@pytest.mark.parametrize("command", [["sh", "-c", "exit 9"], ["sh", "-c", ":"], ["no-such-command-here"]])
def test_the_launcher_is_as_the_command_where_nothing_happens(cluster: Cluster, command: list[str]) -> None:
    assert cluster.start(*command).code() == {"exit 9": 9, ":": 0}.get(command[-1], 127)


def test_a_hung_run_is_ended_with_124_and_shows_where_it_hangs(cluster: Cluster) -> None:
    pod = cluster.train(HANG_AT=3, TRAINSHED_HANG_SECONDS=2)
    assert pod.code() == 124
    assert "hangs at step 2" in pod.said()
    assert "train.py" in pod.said()


def doing(pod: Pod) -> object:
    """What the only rank of the pod does."""
    return next((note["doing"] for note in pod.notes().values()), None)


def saved_steps(cluster: Cluster) -> list[int]:
    """The steps of all complete checkpoints."""
    return sorted(
        json.loads(marker.read_text())["step"]
        for marker in (cluster.root / "checkpoints").glob("step-*/COMPLETE.json")
    )
