"""The conductor, with pods that are no processes."""

import pytest
from rehearse.controllers.stories import workload
from rehearse.play.fakes import FakePods, job, play

from trainshed.model.rehearsal import Happening, PodToRun
from trainshed.rehearse.faults import Deed, Fault
from trainshed.rehearse.slowness import SlowClaim


def kill(pod: str, step: int) -> Fault:
    return Fault(Deed.KILL, pod, step=step)


def test_a_job_runs_to_its_end() -> None:
    played = play(job(2), FakePods(steps=3))
    assert played.ending.finish and played.ending.finish.succeeded
    assert played.said(Happening.JOB) == ["succeeded: CompletionsReached"]


def test_a_failed_job_is_one() -> None:
    played = play(job(backoffLimit=0), FakePods(breaks={"train-0": 3}))
    assert played.ending.finish and not played.ending.finish.succeeded
    assert played.said(Happening.JOB)[0].startswith("failed: BackoffLimitExceeded")


def test_a_kill_comes_at_its_step_and_the_pod_goes_on_from_its_last_save() -> None:
    played = play(job(), FakePods(steps=10, every=5), [kill("train-0", 7)])
    assert played.ending.finish and played.ending.finish.succeeded
    assert played.said(Happening.FAULT) == ["kill train-0 at step 7"]
    resumed = [event.step for event in played.events if event.happening is Happening.RESUMED]
    assert resumed == [0, 5]


def test_a_repeated_kill_comes_again_until_done() -> None:
    played = play(job(), FakePods(steps=12, every=2), [kill("train-0", 4)], times=None)
    assert len(played.said(Happening.FAULT)) == 3
    assert played.ending.pending == ()


def test_a_reclaimed_node_gives_its_notice_and_the_pod_is_disrupted() -> None:
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    pods = FakePods(steps=8)
    fault = Fault(Deed.RECLAIM, "train-0", step=3, notice=15)
    played = play(job(backoffLimit=0, podFailurePolicy=policy), pods, [fault])
    assert played.ending.finish and played.ending.finish.succeeded
    assert pods.graces[0] == ("train-0", 15)


def test_a_hung_pod_is_not_over_by_itself_and_the_limit_ends_all() -> None:
    played = play(job(2), FakePods(steps=8), [Fault(Deed.HANG, "train-1", step=3)], limit=1.0)
    assert played.ending.finish is None
    assert played.said(Happening.JOB) == ["not over after 1 s: everything is ended"]


def test_a_claim_is_filled() -> None:
    pods = FakePods(steps=8)
    play(job(), pods, [Fault(Deed.FILL, "models", step=3)])
    assert pods.filled == ["models"]


def test_a_fault_that_never_came_is_still_to_come() -> None:
    assert play(job(), FakePods(steps=3), [kill("train-0", 50)]).ending.pending == (kill("train-0", 50),)


def test_writers_of_a_slow_claim_wait_and_go_on() -> None:
    pods = FakePods(steps=9, every=2)
    played = play(job(), pods, slow=[SlowClaim("models", 1000)])
    assert played.ending.finish and played.ending.finish.succeeded
    assert set(pods.held_back) == {"train-0"}
    assert pods.frozen == set()


def test_what_never_ends_is_rehearsed_once_it_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainshed.rehearse.play.CALM_SECONDS", 0.3)
    making = workload("apps/v1", "Deployment", {}).add_pods("web", 2)
    played = play(making, FakePods(steps=5, endless=True), [kill("web-1", 3)])
    assert played.ending.finish and played.ending.finish.reason == "Running"
    assert len([event for event in played.events if event.happening is Happening.STARTED]) == 3


def test_a_kubelet_that_cannot_go_on_ends_the_play_and_says_why() -> None:
    class Broken(FakePods):
        async def run(self, pod: PodToRun) -> None:  # type: ignore[override]
            raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        play(job(), Broken())
