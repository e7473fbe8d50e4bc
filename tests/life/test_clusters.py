"""Clusters that are new, lost and rebuilt, and runs that are archived before. Design section 6, points 5 and 6."""

import subprocess
import sys
from pathlib import Path

from life.jobs import APP, DEFAULTS, JOB, KIND, OTHER_FILE, finished, run_of, submitted
from life.play import CLAIM, JOB_FILE, ROOT, TEAM_FILE, Play


def test_an_empty_cluster_gets_everything_in_the_order_in_which_it_can_be(tmp_path: Path) -> None:
    play = submitted(tmp_path)
    order = [one.kind for one in play.then().events if one.what == "created"]
    assert order.index("ClusterQueue") < order.index("LocalQueue") < order.index(KIND)
    assert play.then().rested
    assert play.then().unsynced == {}
    assert {app.health for app in play.then().apps.values()} == {"Healthy", "Suspended"}


def test_a_rebuilt_cluster_gets_its_tombstones_again(tmp_path: Path) -> None:
    """Argo CD cannot know: the completion marker in the lineage ends the second run at once, or `archive` before."""
    play, name = finished(tmp_path)
    play.do("rebuild")
    play.do("apply", folder=ROOT)
    play.do("run", name=name)
    assert play.starts() == [name, name]
    assert play.then().unsynced == {}


def test_an_archived_run_leaves_and_no_rebuilt_cluster_runs_it_again(tmp_path: Path) -> None:
    play, name = finished(tmp_path)
    archive(play)
    archived = play.merge()
    assert play.then(archived).names("deleted", KIND) == [name]
    assert play.keeps_claims()
    play.do("rebuild")
    play.do("apply", folder=ROOT)
    assert play.find(KIND, name) is None
    assert play.find(KIND, run_of(play, "other")) is not None
    assert play.starts() == [name]
    assert play.then().unsynced == {}


def test_an_archived_run_stays_archived_whatever_is_rendered_then(tmp_path: Path) -> None:
    play, name = finished(tmp_path)
    archive(play)
    play.merge()
    play.commit({TEAM_FILE: DEFAULTS})
    assert play.then().names("created", KIND) == []
    play.commit({JOB_FILE: JOB + "attempt: 2\n"})
    assert play.then().names("created", KIND) == [f"{name}-2"]
    assert play.starts() == [name]


def test_the_last_job_of_a_cluster_can_go(tmp_path: Path) -> None:
    play = submitted(tmp_path)
    name = run_of(play)
    play.commit({OTHER_FILE: None})
    play.commit({JOB_FILE: None})
    assert play.then().names("deleted", KIND, "Application") == [APP, name]
    assert play.keeps_claims()
    assert play.then().unsynced == {}
    assert play.then().apps["lab-runs"].health == "Healthy"


def test_a_claim_outlives_its_job_and_is_found_again_by_the_next(tmp_path: Path) -> None:
    play, _ = finished(tmp_path)
    claims = {one["metadata"]["uid"] for one in play.objects if one["kind"] == CLAIM}
    play.commit({JOB_FILE: None})
    play.commit({JOB_FILE: JOB + "attempt: 2\n"})
    assert {one["metadata"]["uid"] for one in play.objects if one["kind"] == CLAIM} == claims
    assert play.then().unsynced == {}


def archive(play: Play) -> None:
    """Pipe what kubectl would print into `trainshed archive`."""
    done = subprocess.run(
        [sys.executable, "-m", "trainshed", "archive", "--cluster", "lab"],
        cwd=play.project.path,
        input=play.listing(KIND),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
