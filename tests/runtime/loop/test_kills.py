"""Killed fifty times, at random."""

import random
import signal
import time
from collections.abc import Callable
from itertools import pairwise

from runtime.loop.pods import HERE, Cluster, Pod, until

KILLS, EVERY_STEPS = 50, 5
TRAIN = str(HERE / "programs" / "train.py")


def test_fifty_kills_lose_no_more_than_an_interval_each_and_change_nothing(
    another_cluster: Callable[[str], Cluster],
) -> None:
    straight, broken = another_cluster("straight"), another_cluster("broken")
    size = {"EPOCHS": 125, "SAMPLES": 48, "TRAINSHED_CHECKPOINT_EVERY_STEPS": EVERY_STEPS}
    moments = random.Random(50)
    for kill in range(KILLS):
        pod = broken.start(*broken.python, TRAIN, launched=False, STEP_SECONDS=0.01, **size)
        until(pod.notes if kill % 2 else lambda: has_trained(pod), "the run begins")  # noqa: B023
        time.sleep(moments.uniform(0, 0.15))
        pod.kill()
        assert pod.code() == -signal.SIGKILL
    assert broken.start(*broken.python, TRAIN, launched=False, **size).code() == 0
    assert straight.start(*straight.python, TRAIN, launched=False, **size).code() == 0
    assert broken.end() == straight.end()
    assert broken.seen() == straight.seen()

    lives = lives_of(broken)
    assert len(lives) >= KILLS / 2
    for before, after in pairwise(lives):
        assert before[-1] - EVERY_STEPS < after[0] <= before[-1] + 1


def has_trained(pod: Pod) -> bool:
    """Whether it has made a step of its own."""
    return any(note["doing"] != "starting" for note in pod.notes().values())


def lives_of(cluster: Cluster) -> list[list[int]]:
    """The steps that each process made, in the order of the processes."""
    lives: dict[str, list[int]] = {}
    for step in cluster.steps():
        lives.setdefault(step["life"], []).append(step["step"])
    return list(lives.values())
