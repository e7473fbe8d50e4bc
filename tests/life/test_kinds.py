"""Every kind of run lives alike: it waits, starts once, ends, and Argo CD writes nothing meanwhile."""

from pathlib import Path

import pytest
from life.jobs import JOB
from life.play import CLUSTER_FILE, JOB_FILE, Play
from repositories import CLUSTER, SMALL

OPERATORS = CLUSTER.replace(
    "  kueue: v0.19.2\n", "  kueue: v0.19.2\n  jobset: v0.12.0\n  trainer: v2.3.0\n  mpi-operator: v0.8.2\n"
)
BARE = JOB[: JOB.index("data:")]
PLAIN = BARE.replace("framework: pytorch\n", "").replace("procsPerNode: 1\n", "").replace("nodes: 2\n", "")
SPECS = {
    "Job": PLAIN,
    "JobSet": BARE + "backend: jobset\n",
    "TrainJob": BARE + "backend: trainjob\n",
    "MPIJob": BARE.replace("pytorch", "horovod").replace("procsPerNode: 1\n", "") + "backend: mpijob\n",
    "RayJob": BARE.replace("pytorch", "ray\nrayVersion: 2.49.0").replace("procsPerNode: 1\n", ""),
}


@pytest.mark.parametrize("kind", SPECS)
def test_a_run_of_any_kind_starts_once_and_is_left_alone(tmp_path: Path, kind: str) -> None:
    play = Play.of(tmp_path, {**SMALL, CLUSTER_FILE: OPERATORS, JOB_FILE: SPECS[kind]})
    (file,) = (tmp_path / "rendered/lab/job-vision-resnet").glob(f"{kind.lower()}-*.yaml")
    name = file.stem.partition("-")[2]
    admitted = play.do("run", name=name)
    play.do("finish", name=name)
    assert play.then(admitted - 1).names("created", kind) == [name]
    assert play.starts() == [name]
    assert play.then(admitted).names("changed") == []
    assert play.then().names("succeeded") == [name]
    assert play.then().apps["lab-job-vision-resnet"].health == "Healthy"
    assert all(play.then(step).unsynced == {} for step in (admitted - 1, admitted, -1))


def test_a_schedule_fires_jobs_that_wait_in_its_queue(tmp_path: Path) -> None:
    spec = PLAIN + "schedule: {cron: '0 3 * * *', timeZone: Etc/UTC}\n"
    play = Play.of(tmp_path, {**SMALL, JOB_FILE: spec})
    play.do("fire", kind="CronJob", name="resnet")
    (fired,) = play.then().names("created", "Job")
    assert play.then().names("started") == []
    play.do("run", name=fired)
    play.do("finish", name=fired)
    assert play.starts() == [fired]
    assert play.then().unsynced == {}
