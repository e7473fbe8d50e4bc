"""When faults come."""

from trainshed.rehearse.faults import Deed, Fault, Schedule, draw_faults


def always(fault: Fault) -> bool:
    return True


def steps_of_faults(schedule: Schedule, steps: list[int], pod: str = "worker-0") -> list[int]:
    """The steps at which a fault came, if the pod tells these."""
    came: list[int] = []
    for step in steps:
        schedule.stepped(pod, step)
        came += [step] * len(schedule.take_due(0.0, always))
    return came


def kill(pod: str = "worker-0", **when: float) -> Fault:
    return Fault(Deed.KILL, pod, **when)  # type: ignore[arg-type]


def test_a_fault_comes_once_at_its_step_or_the_first_that_is_told_after_it() -> None:
    assert steps_of_faults(Schedule([kill(step=3)]), [1, 2, 5, 6]) == [5]


def test_a_fault_is_repeated_as_many_steps_later_as_often_as_asked() -> None:
    assert steps_of_faults(Schedule([kill(step=2)], times=3), list(range(1, 12))) == [2, 4, 6]


def test_without_an_end_a_fault_is_repeated_for_ever() -> None:
    assert steps_of_faults(Schedule([kill(step=4)], times=None), list(range(1, 14))) == [4, 8, 12]


def test_steps_that_are_done_again_bring_no_fault_again() -> None:
    assert steps_of_faults(Schedule([kill(step=2)], times=2), [1, 2, 1, 2, 3, 4]) == [2, 4]


def test_a_pod_that_tells_steps_goes_by_its_own() -> None:
    schedule = Schedule([kill("worker-1", step=5)])
    schedule.stepped("worker-1", 1)
    assert steps_of_faults(schedule, [4, 5, 6]) == []


def test_a_pod_that_tells_none_goes_by_those_of_the_others() -> None:
    assert steps_of_faults(Schedule([kill("launcher-0", step=5)]), [4, 5]) == [5]


def test_a_pod_that_trains_alone_waits_for_its_own_steps() -> None:
    schedule = Schedule([kill("pod-1", step=5)], alone={"pod-0", "pod-1"})
    assert steps_of_faults(schedule, [4, 5, 9], "pod-0") == []
    assert steps_of_faults(schedule, [4, 5], "pod-1") == [5]


def test_a_fault_by_the_clock_comes_after_its_seconds_and_as_many_later_again() -> None:
    schedule = Schedule([kill(seconds=10)], times=2)
    came = [now for now in range(0, 50, 5) if schedule.take_due(now, always)]
    assert came == [10, 20]


def test_a_fault_that_cannot_happen_yet_waits() -> None:
    schedule = Schedule([kill(step=1)])
    schedule.stepped("worker-0", 1)
    assert schedule.take_due(0, lambda _: False) == []
    assert schedule.pending == (kill(step=1),)
    assert schedule.take_due(0, always) == [kill(step=1)]
    assert schedule.pending == ()


def test_the_same_seed_draws_the_same_faults_and_another_draws_others() -> None:
    pods = ["master-0", "worker-0"]
    drawn = [draw_faults(10, seed, pods, 40, 0) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(fault.step is not None and 1 <= fault.step <= 40 for fault in drawn[0])
    assert {fault.deed for fault in drawn[0]} == {Deed.KILL, Deed.RECLAIM}
    assert {fault.target for fault in drawn[0]} == set(pods)


def test_faults_are_drawn_by_the_clock_where_no_steps_are_told() -> None:
    assert all(
        0 <= (fault.seconds or -1) <= 8 for fault in draw_faults(10, 1, ["train-0"], 0, 8.0) if fault.seconds
    )
    assert {fault.step for fault in draw_faults(10, 1, ["train-0"], 0, 8.0)} == {None}
