"""`trainshed reseal`: a run is rendered anew under its name, and its seal says why."""

import json

import pytest
from sealed.shed import Shed, changed

WHY = "CVE-2026-0001: the old setting leaks"


@pytest.fixture
def older(shed: Shed) -> Shed:
    """The team has a new default, which no sealed run takes."""
    shed.edit("specs/teams/vision.yaml", "defaults: {", "defaults: {env: {NCCL_DEBUG: INFO}, ")
    shed.render()
    shed.save("a new default")
    return shed


def reseal(shed: Shed, job: str, *words: str, cluster: str = "lab") -> str:
    """Reseal the one run of a job; it has to go well. What it said."""
    (run,) = shed.runs(job, cluster)
    done = shed.run("reseal", run, "--why", WHY, *words)
    assert done.code == 0, done.out
    return done.out


def run_file(shed: Shed, job: str, cluster: str = "lab") -> str:
    seal = shed.seal(job, cluster)
    return f"rendered/{cluster}/job-vision-{job}/{seal['kind'].lower()}-{seal['run']}.yaml"


def test_a_run_takes_todays_defaults_under_its_name_on_every_cluster_that_holds_it(older: Shed) -> None:
    (run,), before = older.runs("wide"), older.tree()
    said = reseal(older, "wide")
    assert f"{run} is rendered anew on lab" in said
    assert f"{run} is rendered anew on west" in said
    for cluster in ("lab", "west"):
        assert older.runs("wide", cluster) == [run]
        assert older.seal("wide", cluster)["resealed"] == [WHY]
        assert "NCCL_DEBUG" in older.tree()[run_file(older, "wide", cluster)]
    assert {path.split("/")[1:3][path.startswith("rendered")] for path in changed(before, older.tree())} == {
        "job-vision-wide"
    }


def test_only_the_named_cluster_is_touched(older: Shed) -> None:
    before = older.tree()
    said = reseal(older, "wide", "--cluster", "west")
    assert "anew on west" in said
    assert "anew on lab" not in said
    after = older.tree()
    assert after[run_file(older, "wide")] == before[run_file(older, "wide")]
    assert after[run_file(older, "wide", "west")] != before[run_file(older, "wide", "west")]


def test_the_change_is_well_as_it_stands_and_upon_the_base(older: Shed) -> None:
    reseal(older, "wide")
    for words in ((), ("--base", "HEAD"), ("--base", "main")):
        assert "files are what the specs say" in older.check(*words)
    before = older.tree()
    older.render()
    assert older.tree() == before


def test_each_time_adds_a_reason(older: Shed) -> None:
    reseal(older, "wide")
    older.save("once")
    older.edit("specs/teams/vision.yaml", "NCCL_DEBUG: INFO", "NCCL_DEBUG: WARN")
    older.render()
    reseal(older, "wide")
    assert older.seal("wide")["resealed"] == [WHY, WHY]
    older.check("--base", "HEAD")


def test_a_change_by_hand_without_a_reason_is_refused(older: Shed) -> None:
    reseal(older, "wide")
    for cluster in ("lab", "west"):
        path = older.seal_path("wide", cluster)
        seal = json.loads(older.tree()[path])
        del seal["resealed"]
        older.write({path: json.dumps(seal, indent=2, sort_keys=True) + "\n"})
    told = older.refuse("check", "--base", "HEAD")
    assert f"{run_file(older, 'wide')}:1:1: error[sealed-changed]" in told


def test_who_reseals_in_vain_is_told_so_and_nothing_is_written(shed: Shed) -> None:
    (run,), before = shed.runs("wide"), shed.tree()
    assert reseal(shed, "wide") == f"{run} is what today's words render: nothing is written\n"
    assert shed.tree() == before


def test_of_several_clusters_only_those_are_resealed_where_something_changes(older: Shed) -> None:
    reseal(older, "wide", "--cluster", "west")
    older.save("west")
    assert "anew on west" not in reseal(older, "wide")
    assert older.seal("wide")["resealed"] == [WHY]
    assert older.seal("wide", "west")["resealed"] == [WHY]


def test_what_the_api_server_would_refuse_is_refused_with_another_attempt(older: Shed) -> None:
    (run,), before = older.runs("plain"), older.tree()
    told = older.refuse("reseal", run, "--why", WHY)
    assert "error[refused-change]: the API server refuses the change of Job" in told
    assert "a new attempt of the job does (`attempt: 2`)" in told
    assert older.tree() == before


def test_a_run_that_would_leave_its_checkpoints_is_named(older: Shed) -> None:
    (run,) = older.runs("wide")
    lineage = older.seal("wide")["lineage"]
    older.edit("specs/teams/vision.yaml", "defaults: {", "defaults: {parameters: {seed: 7}, ")
    said = reseal(older, "wide")
    assert older.seal("wide")["lineage"] != lineage
    assert (
        f"{run} is rendered anew on lab: it trains something else now, and leaves the checkpoints it has"
        in said
    )
    older.edit("specs/teams/vision.yaml", "defaults: {", "defaults: {labels: {audited: soon}, ")
    assert f"{run} is rendered anew on lab\n" in reseal(older, "wide")


def refuse(shed: Shed, *words: str) -> str:
    """The command line is wrong; nothing is written. What it said."""
    before = shed.tree()
    done = shed.project.run("reseal", *words)
    assert (done.code, done.out) == (2, "")
    assert shed.tree() == before
    return done.err


def test_an_unknown_run_suggests_the_nearest(shed: Shed) -> None:
    (run,) = shed.runs("plain")
    assert f'there is no sealed run "{run}x"; did you mean "{run}"?' in refuse(shed, f"{run}x", "--why", WHY)
    assert 'on cluster "west"' in refuse(shed, run, "--why", WHY, "--cluster", "west")
    assert 'there is no cluster "wset"; did you mean "west"?' in refuse(
        shed, run, "--why", WHY, "--cluster", "wset"
    )


@pytest.mark.parametrize("why", ["", " \n\t ", "\u202e\x07"])
def test_a_reason_has_to_say_something(shed: Shed, why: str) -> None:
    (run,) = shed.runs("wide")
    assert "say in a few words why" in refuse(shed, run, "--why", why)


def test_a_stopped_run_is_refused_with_how_it_starts(shed: Shed) -> None:
    (run,) = shed.runs("wide")
    shed.append("wide", "state: stopped\n")
    shed.render()
    told = refuse(shed, run, "--why", WHY)
    assert f"{run} is stopped on lab; `state: running` in specs/jobs/vision/wide.yaml renders it anew" in told


def test_an_archived_run_is_refused_with_another_attempt(shed: Shed) -> None:
    (run,) = shed.runs("plain")
    shed.forge("plain", outcome={"state": "failed", "finished": "2026-11-20T10:00:00Z", "why": "OOMKilled"})
    shed.render()
    told = refuse(shed, run, "--why", WHY)
    assert f"{run} has ended on lab and is archived; `attempt: 2` in specs/jobs/vision/plain.yaml" in told


def test_a_kept_run_is_refused_for_nothing_can_make_it_again(shed: Shed) -> None:
    (old,) = shed.runs("wide")
    shed.append("wide", "whenEdited: keep\n")
    shed.edit_job("wide", "lr: 0.1", "lr: 0.2")
    shed.render()
    told = refuse(shed, old, "--why", WHY)
    assert f"{old} is not what specs/jobs/vision/wide.yaml asks for on lab" in told
    assert "nothing can make it again" in told
