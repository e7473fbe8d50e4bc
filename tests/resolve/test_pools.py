"""Which pools a job may run on, how its pods find their nodes, and what they ask for there."""

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import resolve

from trainshed.model.plan import PodGroup

POOLS = """\
pools:
  big: {machine: aws/p5.48xlarge, nodes: 4}
  spot: {machine: aws/p5.48xlarge, nodes: 4, capacity: spot}
  small: {machine: aws/g5.12xlarge, nodes: 4}
  cpu: {machine: aws/m7i.8xlarge, nodes: 4}
  tiny: {machine: aws/m7i.2xlarge, nodes: 4, taints: [{key: tiny, effect: NoSchedule}]}
"""
AWS = CLUSTER.split("pools:")[0].replace("onprem", "eks") + POOLS + "storage:" + CLUSTER.split("storage:")[1]
FILES = {
    **SMALL,
    "specs/clusters/lab.yaml": AWS,
    "specs/teams/vision.yaml": TEAM.replace("h100: 4, cpu: 4", "big: 4, spot: 4, small: 4, cpu: 4, tiny: 4"),
}
TYPE = "node.kubernetes.io/instance-type"
CAPACITY = "eks.amazonaws.com/capacityType"


def group(more: str) -> PodGroup:
    resolved = resolve({**FILES, "specs/jobs/vision/resnet.yaml": JOB + more})
    assert [finding for finding in resolved.findings if finding.severity == "error"] == []
    (found,) = resolved.target().groups
    return found


MACHINES = {
    "big": {CAPACITY: "ON_DEMAND", TYPE: "p5.48xlarge"},
    "spot": {CAPACITY: "SPOT", TYPE: "p5.48xlarge"},
    "small": {CAPACITY: "ON_DEMAND", TYPE: "g5.12xlarge"},
    "cpu": {CAPACITY: "ON_DEMAND", TYPE: "m7i.8xlarge"},
    "tiny": {CAPACITY: "ON_DEMAND", TYPE: "m7i.2xlarge"},
}


@pytest.mark.parametrize(
    ("more", "pools"),
    [
        ("", ["cpu", "tiny"]),
        ("cpu: 16\n", ["cpu"]),
        ("memory: 100Gi\n", ["cpu"]),
        ("gpus: 4\n", ["big", "small"]),
        ("gpus: 8\n", ["big"]),
        ("gpus: {type: h100, perNode: 2}\n", ["big"]),
        ("gpus: {type: a10g, perNode: 2}\n", ["small"]),
        ("gpus: 8\ncapacity: spot\n", ["spot"]),
        ("gpus: 0\n", ["cpu", "tiny"]),
    ],
)
def test_a_job_takes_every_pool_that_fits_and_no_other_node(more: str, pools: list[str]) -> None:
    found = group(more)
    assert [pool.name for pool in found.pools] == pools
    assert [dict(term) for term in found.node_terms] == [MACHINES[name] for name in pools]


def test_gpus_bring_the_least_share_of_all_fitting_machines() -> None:
    assert dict(group("gpus: {type: h100, perNode: 8}\n").requests) == {
        "cpu": "190",
        "memory": "1890Gi",
        "nvidia.com/gpu": "8",
    }
    assert dict(group("gpus: {type: h100, perNode: 2}\n").requests) == {
        "cpu": "47",
        "memory": "472Gi",
        "nvidia.com/gpu": "2",
    }
    assert dict(group("gpus: 4\n").requests) == {"cpu": "46", "memory": "167Gi", "nvidia.com/gpu": "4"}


def test_a_share_never_grows_when_fewer_gpus_are_asked_for() -> None:
    shares = [group(f"gpus: {{type: h100, perNode: {gpus}}}\n").requests["cpu"] for gpus in range(1, 9)]
    assert shares == sorted(shares, key=int)
    assert all(int(share) * 8 <= 190 * gpus + 8 for gpus, share in enumerate(shares, 1))


def test_what_is_written_wins_over_the_share() -> None:
    assert dict(group("gpus: 8\ncpu: 1.5\nmemory: 1024Mi\n").requests) == {
        "cpu": "1500m",
        "memory": "1Gi",
        "nvidia.com/gpu": "8",
    }


def test_a_queue_tolerates_taints_for_its_jobs() -> None:
    assert group("").tolerations == ()


def test_a_job_outside_the_queue_tolerates_the_taints_of_its_pools() -> None:
    assert [taint.key for taint in group("queue: none\n").tolerations] == ["tiny"]


def test_shared_memory_is_a_quarter_of_the_memory_where_it_is_needed() -> None:
    assert group("memory: 2Gi\n").shm == ""
    assert group("framework: pytorch\nmemory: 2Gi\n").shm == "512Mi"
    assert group("gpus: {type: h100, perNode: 8}\n").shm == "472Gi"
    assert group("memory: 2Gi\nshm: 1Gi\n").shm == "1Gi"
    assert group("gpus: 8\nshm: none\n").shm == ""
