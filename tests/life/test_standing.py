"""What is queued, running or finished stays as it was merged, whatever else is merged. Design section 6, points 2 and 7."""

from pathlib import Path

from life.jobs import APP, DEFAULTS, JOB, KIND, OTHER, OTHER_FILE, UPGRADED, finished, run_of, running
from life.play import CLUSTER_FILE, JOB_FILE, TEAM_FILE, Play


def test_a_changed_default_touches_no_run(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.commit({TEAM_FILE: DEFAULTS})
    assert untouched(play)
    assert play.starts() == [name]


def test_the_next_attempt_has_the_new_default(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.commit({TEAM_FILE: DEFAULTS})
    play.commit({JOB_FILE: JOB + "attempt: 2\n"})
    assert play.then().names("created", KIND) == [f"{name}-2"]
    body = play.find(KIND, f"{name}-2")
    assert body is not None
    volumes = body["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["volumes"]
    assert {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}} in volumes


def test_an_upgraded_operator_touches_no_run(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.commit({CLUSTER_FILE: UPGRADED})
    assert untouched(play)
    play.do("upgrade", setting=play.setting())
    assert untouched(play)
    play.do("finish", name=name)
    assert play.then().names("succeeded") == [name]
    assert play.starts() == [name]


def test_another_jobs_edit_touches_no_run(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.commit({OTHER_FILE: OTHER + "attempt: 2\n"})
    assert untouched(play, run_of(play, "other"), run_of(play, "other").removesuffix("-2"))
    assert play.starts() == [name]


def test_a_new_job_is_created_and_nothing_else_happens(tmp_path: Path) -> None:
    play, _ = running(tmp_path)
    play.commit({"specs/jobs/vision/third.yaml": JOB.replace("name: resnet", "name: third")})
    third = run_of(play, "third")
    assert play.then().names("created", KIND) == [third]
    assert play.then().names("created", "Application") == ["lab-job-vision-third"]
    assert play.then().names("deleted") == []
    assert play.then().unsynced == {}


def test_a_finished_run_is_not_run_again_by_later_commits(tmp_path: Path) -> None:
    play, name = finished(tmp_path)
    play.commit({TEAM_FILE: DEFAULTS})
    play.commit({CLUSTER_FILE: UPGRADED})
    play.do("later")
    assert play.starts() == [name]
    assert play.find(KIND, name) is not None
    assert play.then().unsynced == {}


def test_a_preempted_run_waits_and_goes_on_under_its_own_name(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.do("evict", name=name)
    assert play.then().names("stopped") == [name]
    assert (play.then().unsynced, play.then().apps[APP].health) == ({}, "Suspended")
    play.do("run", name=name)
    assert play.starts() == [name, name]
    assert play.then().names("created", KIND) == []


def test_a_run_that_a_person_deletes_is_made_again_and_queues(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.do("delete", kind=KIND, name=name)
    assert play.then().names("created", KIND) == [name]
    assert play.then().by("created", name) == f"sync {APP}"
    assert play.then().apps[APP].health == "Suspended"
    assert play.keeps_claims()


def test_a_label_that_a_person_adds_does_not_bother_anybody(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.do("edit", kind=KIND, name=name, patch={"metadata": {"labels": {"mine": "yes"}}})
    assert play.then().names("stopped") == []
    assert play.then().unsynced == {}
    assert play.starts() == [name]


def untouched(play: Play, *but: str) -> bool:
    """Whether the last step neither changed nor deleted nor stopped nor made a run, and left every app in sync."""
    told = [
        one for one in play.then().events if one.kind in (KIND, "Workload", "Pod") and one.name not in but
    ]
    told = [one for one in told if not any(name in one.name for name in but)]
    return told == [] and play.then().unsynced == {} and play.then().rested
