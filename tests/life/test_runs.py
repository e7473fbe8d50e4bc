"""The life of a run: submitted, queued, run, finished, failed, tried again, edited, stopped, retired, reverted.

Design section 6: only an edit of the job itself starts a run, and no run starts twice.
"""

from pathlib import Path

from life.jobs import APP, JOB, KIND, LEARNING_RATE, MEMORY, finished, lineage_of, run_of, running, submitted
from life.play import JOB_FILE


def test_a_submitted_run_waits_in_its_queue_and_every_app_is_in_sync(tmp_path: Path) -> None:
    play = submitted(tmp_path)
    assert play.then().rested
    assert play.then().unsynced == {}
    assert play.then().apps[APP].health == "Suspended"
    assert play.starts() == []
    assert sorted(play.then().names("created", "Workload"))


def test_an_admitted_run_starts_once_and_stays_in_sync_though_kueue_writes_into_it(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    (job,) = [one for one in play.objects if one["metadata"]["name"] == name and one["kind"] == KIND]
    template = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    assert template["nodeSelector"], "Kueue writes what the flavor asks for"
    assert play.starts() == [name]
    assert play.then().unsynced == {}
    assert play.then().apps[APP].health == "Progressing"
    assert play.then().names("refused") == []


def test_a_finished_run_stays_and_the_app_is_healthy(tmp_path: Path) -> None:
    play, name = finished(tmp_path)
    assert play.then().names("succeeded") == [name]
    assert play.then().names("deleted", KIND) == []
    assert (play.then().unsynced, play.then().apps[APP].health) == ({}, "Healthy")
    assert play.starts() == [name]


def test_a_failed_run_is_degraded_and_neither_made_again_nor_in_the_way_of_others(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.do("fail", name=name)
    play.do("run", name=run_of(play, "other"))
    assert play.then().apps[APP].health == "Degraded"
    assert play.then().unsynced == {}
    assert play.starts() == [name, run_of(play, "other")]


def test_a_second_attempt_replaces_the_first_and_keeps_the_claims(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.do("fail", name=name)
    edited = play.commit({JOB_FILE: JOB + "attempt: 2\n"})
    again = run_of(play)
    play.do("run", name=again)
    assert again == f"{name}-2"
    assert play.then(edited).names("created", KIND) == [again]
    assert play.then(edited).names("deleted", KIND) == [name]
    assert play.then(edited).by("deleted", name) == f"prune {APP}"
    assert play.keeps_claims()
    assert play.starts() == [name, again]
    assert play.then().unsynced == {}


def test_more_memory_ends_the_run_and_starts_another_of_the_same_lineage(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    before = lineage_of(play)
    edited = play.commit({JOB_FILE: JOB.replace(MEMORY, "memory: 500Gi")})
    assert play.then(edited).names("deleted", KIND) == [name]
    assert play.then(edited).names("created", KIND) == [run_of(play)] != [name]
    assert lineage_of(play) == before
    assert play.keeps_claims()


def test_another_learning_rate_starts_another_lineage(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    before = lineage_of(play)
    play.commit({JOB_FILE: JOB.replace(LEARNING_RATE, "--lr=0.2")})
    play.do("run", name=run_of(play))
    assert play.starts() == [name, run_of(play)]
    assert lineage_of(play) != before
    assert play.keeps_claims()
    assert play.then().unsynced == {}


def test_a_comment_or_another_spelling_touches_nothing(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.commit({JOB_FILE: "# the memory of a whole node\n" + JOB.replace(MEMORY, f"memory: {400 * 1024}Mi")})
    assert [one for one in play.then().events if one.what != "refused"] == []
    assert run_of(play) == name


def test_when_edited_keep_leaves_the_old_run_beside_the_new_one(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    kept = JOB + "whenEdited: keep\n"
    play.commit({JOB_FILE: kept})
    assert play.then().names("deleted", KIND) == []
    play.commit({JOB_FILE: kept.replace(MEMORY, "memory: 500Gi")})
    (new,) = set(play.runs("resnet")) - {name}
    assert play.then().names("created", KIND) == [new]
    assert play.then().names("deleted", KIND) == []
    assert play.then().names("stopped") == []
    assert play.then().unsynced == {}


def test_a_stopped_run_is_taken_away_and_no_other_is_touched(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.do("run", name=run_of(play, "other"))
    play.commit({JOB_FILE: JOB + "state: stopped\n"})
    assert play.then().names("deleted", KIND) == [name]
    assert play.find(KIND, run_of(play, "other")) is not None
    assert play.keeps_claims()
    assert play.then().unsynced == {}
    assert play.then().rested


def test_a_retired_job_is_taken_away_by_its_application_and_its_claims_stay(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    play.commit({JOB_FILE: None})
    assert play.then().names("deleted", KIND, "Application") == [APP, name]
    assert play.then().by("deleted", name) == f"cascade {APP}"
    assert play.keeps_claims()
    assert play.then().unsynced == {}


def test_a_reverted_commit_goes_back_to_the_run_before_it(tmp_path: Path) -> None:
    play, name = running(tmp_path)
    tree = play.project.read_tree("specs", "overlays", "rendered")
    play.commit({JOB_FILE: JOB.replace(LEARNING_RATE, "--lr=0.2")})
    new = run_of(play)
    for path in set(play.project.read_tree("specs", "overlays", "rendered")) - set(tree):
        (play.project.path / path).unlink()
    play.project.write(tree)
    assert play.trainshed("check").code == 0
    play.merge()
    assert play.then().names("created", KIND) == [name]
    assert play.then().names("deleted", KIND) == [new]
    assert play.keeps_claims()
    assert play.then().unsynced == {}
