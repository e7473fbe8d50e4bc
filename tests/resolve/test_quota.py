"""Whether a queue could ever admit a job: nominal, borrowed, lent, and pools that several groups share."""

import re
from collections.abc import Mapping

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import resolve

from trainshed.model.diagnostic import Diagnostic

COHORT = CLUSTER + "cohort: all\n"
GPU = "framework: pytorch\nfabric: none\ngpus: {type: h100, perNode: 8}\nnodes: %d\n"


AMOUNT = re.compile(r"(?<!\S)\d\S*(?!\S)")
POOL = re.compile(r'pool "(\S+)"')
"""Ask, ceiling and pool are this test's; the other words are those of tests/findings."""


def said(job: str, quotas: Mapping[str, str], cluster: str = COHORT) -> list[str]:
    """The findings for a job of team vision, with the quotas of each team on the cluster."""
    files = {
        **SMALL,
        "specs/clusters/lab.yaml": cluster,
        "specs/jobs/vision/resnet.yaml": JOB.replace("command: [python, -m, train]", "module: train") + job,
    }
    for team, quota in quotas.items():
        text = TEAM.replace("name: vision", f"name: {team}").replace("{h100: 4, cpu: 4}", quota)
        files[f"specs/teams/{team}.yaml"] = text
    return [_spell(finding) for finding in resolve(files).findings]


def _spell(finding: Diagnostic) -> str:
    amounts = " of ".join(AMOUNT.findall(finding.summary))
    what = f"{amounts} in {POOL.findall(finding.summary)[0]}" if amounts else finding.summary
    return f"{finding.source.path.name}:{finding.source.line} {finding.code}: {what}"


def exceeded(ask: str, ceiling: str, line: int, pool: str = "h100") -> list[str]:
    return [f"resnet.yaml:{line} quota-exceeded: {ask} of {ceiling} in {pool}"]


@pytest.mark.parametrize(
    ("quotas", "nodes"),
    [
        ({"vision": "{h100: 2}"}, 2),
        ({"vision": "{h100: {gpus: 16}}"}, 2),
        ({"vision": "{h100: 2}", "nlp": "{h100: 2}"}, 4),
        ({"vision": "{h100: {nodes: 1, borrow: 1}}", "nlp": "{h100: 3}"}, 2),
        ({"vision": "{h100: {gpus: 8, borrow: 8}}", "nlp": "{h100: 3}"}, 2),
        ({"vision": "{h100: {nodes: 1, borrow: 3}}", "nlp": "{h100: 1}"}, 2),
        ({"vision": "{h100: 1}", "nlp": "{h100: {nodes: 3, lend: 1}}"}, 2),
        ({"vision": "{h100: 1}", "nlp": "{h100: {nodes: 3, lend: 0}}"}, 1),
        ({"vision": "{h100: {nodes: 0, borrow: 2}}", "nlp": "{h100: 4}"}, 2),
        ({"vision": "{h100: 1}", "nlp": "{cpu: 4}"}, 1),
        ({"vision": "{h100: {nodes: 2, lend: 0}}", "nlp": "{h100: 0}"}, 2),
    ],
)
def test_a_queue_gives_its_own_and_what_it_may_borrow_and_others_lend(
    quotas: dict[str, str], nodes: int
) -> None:
    assert said(GPU % nodes, quotas) == []
    asked, most = 8 * (nodes + 1), 8 * nodes
    assert said(GPU % (nodes + 1), quotas) == exceeded(str(asked), str(most), 10)


def test_without_a_cohort_nothing_is_borrowed() -> None:
    quotas = {"vision": "{h100: 1}", "nlp": "{h100: 3}"}
    assert said(GPU % 2, quotas, CLUSTER) == exceeded("16", "8", 10)
    assert said(GPU % 1, quotas, CLUSTER) == []


def test_a_job_goes_to_the_pools_of_its_queue() -> None:
    assert said("cpu: 62\n", {"vision": "{h100: 1}"}) == []
    assert resolve(SMALL).target().groups[0].pools[0].name == "cpu"


def test_a_job_that_fills_a_node_is_within_the_quota_of_a_node() -> None:
    assert said("cpu: 61280m\nmemory: 250378240Ki\n", {"vision": "{cpu: 1}"}) == []


def test_a_part_of_a_node_brings_its_part_of_cpu_and_memory() -> None:
    quarter = {"vision": "{h100: {gpus: 2}}"}
    assert said("gpus: 2\ncpu: 54\nmemory: 400Gi\n", quarter) == []
    assert said("gpus: 2\ncpu: 55\n", quarter) == exceeded("55", "54.92", 8)


def test_an_elastic_job_is_measured_at_its_largest() -> None:
    job = GPU.replace("nodes: %d", "nodes: {min: 1, max: 3}")
    assert said(job, {"vision": "{h100: 3}"}) == []
    assert said(job, {"vision": "{h100: 2}"}) == exceeded("24", "16", 10)


RAY = """\
framework: ray
roles:
  head: {cpu: %s, memory: 8Gi}
  workers: {nodes: 2, cpu: 30, memory: 8Gi}
"""


def test_groups_that_share_a_pool_share_its_quota() -> None:
    only_cpu = {"vision": "{cpu: 1}"}
    assert said(RAY % "780m", only_cpu) == []
    assert said(RAY % "2", only_cpu) == exceeded("62", "61.28", 10, "cpu")


def test_a_job_outside_the_queue_is_not_measured() -> None:
    assert said("cpu: 4\nqueue: none\n", {"vision": "{h100: 1}"}) == []


def test_a_stopped_job_asks_for_nothing() -> None:
    quotas = {"vision": "{h100: 2}"}

    assert said(GPU % 3, quotas) == exceeded("24", "16", 10)
    assert said(GPU % 3 + "state: stopped\n", quotas) == []
