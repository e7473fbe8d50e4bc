"""A run that was killed goes on as if nothing had been."""

from collections.abc import Callable

import pytest
from runtime.loop.pods import Cluster, Pod, until


def test_two_ranks_killed_inside_an_epoch_end_bit_for_bit_as_undisturbed_ones(
    another_cluster: Callable[[str], Cluster],
) -> None:
    straight, broken = another_cluster("straight"), another_cluster("broken")
    assert [pod.code() for pod in straight.train_in_two()] == [0, 0]

    pods = broken.train_in_two(STEP_SECONDS=0.03)
    until(lambda: min(pod.step() for pod in pods) >= 8, "eight steps are done")
    for pod in pods:
        pod.kill()
    assert [pod.code() for pod in pods] == [-9, -9]
    again = broken.train_in_two()
    assert [pod.code() for pod in again] == [0, 0]

    assert resumed_at(again) >= 5
    assert straight.end().keys() == {"end-0", "end-1"}
    assert broken.end() == straight.end()
    assert broken.seen() == {0: list(range(50)), 1: list(range(50))}


@pytest.mark.parametrize(
    "loader",
    [{}, {"ITSELF": 1}, {"WORKERS": 0}, {"WORKERS": 2}],
    ids=["ours", "ours, itself", "own", "own of two workers"],
)
@pytest.mark.parametrize("every", [1, 5, 7])  # after each step; inside the first epoch; when it is over
def test_a_crash_in_the_second_epoch_changes_nothing_wherever_the_last_save_was(
    another_cluster: Callable[[str], Cluster], every: int, loader: dict[str, int]
) -> None:
    straight, broken = another_cluster("straight"), another_cluster("broken")
    assert straight.train(**loader).code() == 0
    assert broken.train(FAIL_AT=9, TRAINSHED_CHECKPOINT_EVERY_STEPS=every, **loader).code() == 3
    again = broken.train(TRAINSHED_CHECKPOINT_EVERY_STEPS=every, **loader)
    assert again.code() == 0
    assert resumed_at([again]) == {1: 8, 5: 5, 7: 7}[every]
    assert broken.end() == straight.end()
    assert broken.seen() == {0: list(range(50)), 1: list(range(50))}


@pytest.mark.parametrize("loader", [{}, {"ITSELF": 1}, {"WORKERS": 0}], ids=["ours", "ours, itself", "own"])
def test_where_gradients_are_accumulated_every_batch_of_a_step_counts(
    another_cluster: Callable[[str], Cluster], loader: dict[str, int]
) -> None:
    straight, broken = another_cluster("straight"), another_cluster("broken")
    size = {"ACCUMULATE": 3, "TRAINSHED_CHECKPOINT_EVERY_STEPS": 1, **loader}
    assert straight.train(**size).code() == 0
    assert broken.train(FAIL_AT=4, **size).code() == 3
    again = broken.train(**size)
    assert again.code() == 0
    assert resumed_at([again]) == 3
    assert broken.end() == straight.end()
    assert broken.seen() == straight.seen()


def test_a_finished_run_that_is_started_again_leaves_at_once_with_0(cluster: Cluster) -> None:
    assert cluster.train(EPOCHS=1, SAMPLES=24).code() == 0
    steps = len(cluster.steps())
    again = cluster.train(EPOCHS=1, SAMPLES=24)
    assert again.code() == 0
    assert "finished already" in again.said()
    assert len(cluster.steps()) == steps


def test_a_disk_that_is_full_for_a_while_loses_that_save_and_the_run_goes_on(cluster: Cluster) -> None:
    pod = cluster.train(EPOCHS=4, FULL_AT=[5, 10])
    assert pod.code() == 0
    assert pod.said().count("training goes on") == 2
    assert pod.events("saved")[0]["step"] == 15


def test_a_disk_that_stays_full_ends_the_run_rather_than_lose_ever_more(cluster: Cluster) -> None:
    pod = cluster.train(EPOCHS=4, FULL_AT=[5, 10, 15])
    assert pod.code() == 1
    assert max(step["step"] for step in cluster.steps()) == 15


def resumed_at(pods: list[Pod]) -> int:
    """The step that all ranks resumed at."""
    (step,) = {event["step"] for pod in pods for event in pod.events("resumed")}
    return step
