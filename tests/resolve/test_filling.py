"""A team's volume in its second namespace: another claim, which a job of that namespace fills."""

from repositories import CLUSTER, JOB, SMALL, TEAM
from stages import street

FREE = "security: {level: privileged, why: InfiniBand needs IPC_LOCK}\n"
READ = "data:\n  images: {volume: data, mountPath: /data, readOnly: true}\n"
WRITE = "data:\n  images: {volume: data, mountPath: /data}\n"
APART = (
    'specs/jobs/vision/resnet.yaml:8:20 volume-apart: in vision-free on lab "data" is a claim of its own, '
    "and nothing fills it there"
)


def said(filler: str) -> list[str]:
    """What is found about a privileged job that reads, and one of the same team that fills."""
    return street.resolve(
        {
            **SMALL,
            "specs/clusters/lab.yaml": CLUSTER + "security: {privileged: [vision]}\n",
            "specs/teams/vision.yaml": TEAM.replace("size: 1Ti}", "size: 1Ti, filledBy: fill}", 1)
            + "privileged: {namespace: vision-free, why: the fabric of the nodes}\n",
            "specs/jobs/vision/resnet.yaml": JOB + READ + FREE,
            "specs/jobs/vision/fill.yaml": JOB.replace("resnet", "fill") + WRITE + filler,
        }
    ).said


def test_a_job_that_fills_the_first_namespace_leaves_the_second_empty() -> None:
    assert said("") == [APART]


def test_nothing_is_said_where_a_job_of_that_namespace_fills_it() -> None:
    assert said(FREE) == []
