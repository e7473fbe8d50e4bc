"""What faults cost, from events written down by hand."""

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import Interval, Verdict
from trainshed.rehearse.costs import count_costs


def steps(first: int, last: int, at: float, pod: str = "worker-0") -> list[Event]:
    """A step each second."""
    return [
        Event(at + number, Happening.STEP, pod, step=step)
        for number, step in enumerate(range(first, last + 1))
    ]


def fault(at: float, pod: str = "worker-0", deed: str = "kill") -> Event:
    return Event(at, Happening.FAULT, pod, text=f"{deed} {pod}", detail={"deed": deed})


def test_steps_since_the_checkpoint_are_lost() -> None:
    events = [
        *steps(1, 20, at=1),
        fault(20.5),
        Event(21, Happening.RESTARTED, "worker-0"),
        Event(24, Happening.RESUMED, "worker-0", step=15),
        *steps(16, 30, at=25.5),
    ]
    (cost,) = count_costs(events)
    assert (cost.before, cost.resumed, cost.steps_lost, cost.seconds) == (20, 15, 5, 5.0)


def test_a_step_that_was_told_late_belongs_to_the_life_before() -> None:
    events = [
        *steps(1, 20, at=1),
        fault(20.5),
        Event(20.6, Happening.STEP, "worker-0", step=21),
        Event(21, Happening.RESTARTED, "worker-0"),
        Event(24, Happening.RESUMED, "worker-0", step=20),
        *steps(21, 30, at=25.5),
    ]
    (cost,) = count_costs(events)
    assert (cost.before, cost.resumed, cost.steps_lost, cost.seconds) == (21, 20, 1, 5.0)


def test_what_is_saved_after_the_notice_is_not_lost() -> None:
    events = [
        *steps(1, 20, at=1),
        fault(20.5, deed="reclaim"),
        *steps(21, 23, at=21),
        Event(24, Happening.SAVED, "worker-0", step=23),
        Event(26, Happening.STARTED, "worker-0", "train"),
        Event(27, Happening.RESUMED, "worker-0", step=23),
        *steps(24, 30, at=28),
    ]
    (cost,) = count_costs(events)
    assert (cost.before, cost.resumed, cost.steps_lost, cost.seconds) == (23, 23, 0, 7.5)


def test_code_that_says_nothing_of_resuming_lost_what_it_does_again() -> None:
    events = [
        *steps(1, 9, at=1),
        fault(9.5),
        Event(10, Happening.STARTED, "worker-0", "train"),
        *steps(1, 12, at=12),
    ]
    (cost,) = count_costs(events)
    assert (cost.before, cost.resumed, cost.steps_lost) == (9, 0, 9)


def test_processes_that_have_just_started_say_nothing_with_step_0() -> None:
    events = [
        *steps(1, 20, at=1),
        fault(20.5),
        Event(21, Happening.STARTED, "worker-0", "train"),
        Event(22, Happening.STEP, "worker-0", step=0),
        Event(23, Happening.RESUMED, "worker-0", step=15),
        Event(23, Happening.STEP, "worker-0", step=15),
        *steps(16, 30, at=24),
    ]
    (cost,) = count_costs(events)
    assert (cost.resumed, cost.steps_lost, cost.seconds) == (15, 5, 3.5)


def test_training_that_never_steps_again_has_no_seconds() -> None:
    (cost,) = count_costs([*steps(1, 9, at=1), fault(9.5)])
    assert (cost.seconds, cost.steps_lost) == (None, 0)


def test_a_second_fault_during_recovery_does_not_count_the_same_steps_again() -> None:
    events = [
        *steps(1, 20, at=1),
        fault(20.5),
        Event(21, Happening.RESTARTED, "worker-0"),
        fault(22),
        Event(23, Happening.RESTARTED, "worker-0"),
        Event(24, Happening.RESUMED, "worker-0", step=15),
        *steps(16, 30, at=25),
    ]
    assert [cost.steps_lost for cost in count_costs(events)] == [5, 0]


def test_a_pod_without_steps_of_its_own_is_measured_by_the_job() -> None:
    events = [
        *steps(1, 20, at=1),
        fault(20.5, "launcher-0"),
        Event(21, Happening.STARTED, "launcher-0", "main"),
        Event(24, Happening.RESUMED, "worker-0", step=10),
        *steps(11, 30, at=25),
    ]
    (cost,) = count_costs(events)
    assert (cost.before, cost.resumed, cost.steps_lost) == (20, 10, 10)


def test_a_full_disk_that_nobody_minds_costs_nothing() -> None:
    (cost,) = count_costs([*steps(1, 9, at=1), fault(9.5, "", "fill"), *steps(10, 12, at=10)])
    assert (cost.before, cost.resumed, cost.steps_lost, cost.seconds) == (9, 9, 0, 0.5)


def verdict_of(lost: int, age: float, interval: Interval) -> Verdict:
    events = [
        Event(100 - age, Happening.SAVED, "worker-0", step=20 - lost, seconds=2),
        *steps(20, 20, at=99),
        fault(100),
        Event(101, Happening.RESUMED, "worker-0", step=20 - lost),
        *steps(21 - lost, 30, at=102),
    ]
    return Verdict(True, "Succeeded", "", 120, costs=count_costs(events), interval=interval, save_seconds=2)


def test_more_steps_than_the_interval_are_too_many() -> None:
    assert verdict_of(5, 30, Interval(steps=5)).is_well
    assert not verdict_of(6, 30, Interval(steps=5)).is_well


def test_an_interval_in_seconds_allows_for_one_save() -> None:
    assert verdict_of(9, 32, Interval(seconds=30)).is_well
    assert not verdict_of(9, 33, Interval(seconds=30)).is_well


def test_without_an_interval_nothing_is_promised() -> None:
    assert verdict_of(20, 900, Interval()).is_well
