"""Raw wishes about nodes, on top of what the pools say. Facts D.4."""

from typing import Any

import pytest
from repositories import CLUSTER, JOB, SMALL, TEAM
from stages.street import Files, body, compile_files, resolve

TWO_POOLS = CLUSTER.replace(
    "  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu}}\n",
    "  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu, zone: a}}\n"
    "  more: {machine: onprem/cpu-64, nodes: 4, labels: {pool: more, zone: b}}\n",
)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
IN_RACKS = f"""\
affinity:
  nodeAffinity:
    {REQUIRED}:
      nodeSelectorTerms:
      - matchExpressions: [{{key: rack, operator: In, values: [r1]}}]
      - matchExpressions: [{{key: rack, operator: In, values: [r2]}}]
        matchFields: [{{key: metadata.name, operator: In, values: [n1]}}]
"""


def files(job: str, cluster: str = CLUSTER) -> Files:
    team = TEAM.replace("cpu: 4}", "cpu: 4, more: 4}") if cluster == TWO_POOLS else TEAM
    described = {"specs/clusters/lab.yaml": cluster, "specs/teams/vision.yaml": team}
    return {**SMALL, **described, "specs/jobs/vision/resnet.yaml": JOB + job}


def pod(job: str, cluster: str = CLUSTER) -> Any:
    made = body(compile_files(files(job, cluster)), "Job", "job-vision-resnet")
    return made["spec"]["template"]["spec"]


def terms(pod: Any) -> list[list[tuple[str, str, list[str]]]]:
    required = pod["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    return [
        [(each["key"], each["operator"], each["values"]) for part in term.values() for each in part]
        for term in required
    ]


def said(job: str, cluster: str = CLUSTER) -> list[tuple[str, str]]:
    return [(finding.code, finding.summary) for finding in resolve(files(job, cluster)).findings]


def test_labels_come_on_top_of_those_of_the_pool() -> None:
    assert pod("pool: cpu\nnodeSelector: {rack: r1}\n")["nodeSelector"] == {"pool": "cpu", "rack": "r1"}


def test_a_node_that_is_avoided_is_avoided_in_every_pool() -> None:
    assert terms(pod("avoidNodes: [n9, n8]\n", TWO_POOLS)) == [
        [("pool", "In", ["cpu"]), ("kubernetes.io/hostname", "NotIn", ["n8", "n9"])],
        [("pool", "In", ["more"]), ("kubernetes.io/hostname", "NotIn", ["n8", "n9"])],
    ]


def test_the_jobs_own_terms_are_joined_with_each_pool() -> None:
    joined = terms(pod(IN_RACKS, TWO_POOLS))

    assert [[value for _, _, (value,) in term] for term in joined] == [
        ["cpu", "r1"],
        ["cpu", "r2", "n1"],
        ["more", "r1"],
        ["more", "r2", "n1"],
    ]


def test_what_is_preferred_and_what_other_pods_matter_is_passed_on() -> None:
    wishes = """\
affinity:
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
    - {weight: 5, preference: {matchExpressions: [{key: rack, operator: Exists}]}}
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - {topologyKey: rack, labelSelector: {matchLabels: {a: b}}}
"""
    affinity = pod("pool: cpu\n" + wishes)["affinity"]

    assert affinity["nodeAffinity"] == {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 5, "preference": {"matchExpressions": [{"key": "rack", "operator": "Exists"}]}}
        ]
    }
    assert affinity["podAntiAffinity"][REQUIRED][0]["topologyKey"] == "rack"


def test_taints_are_tolerated_beside_those_of_the_pools() -> None:
    assert pod("tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]\n")[
        "tolerations"
    ] == [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]


def test_the_pods_go_to_the_scheduler_that_the_job_names() -> None:
    assert pod("scheduler: bin-packing\n")["schedulerName"] == "bin-packing"


@pytest.mark.parametrize(
    ("wish", "finding"),
    [
        (
            "pool: cpu\nnodeSelector: {pool: h100}\n",
            ("conflicting-choice", 'no node that the pods may go to has pool "h100" (cpu: cpu)'),
        ),
        ("avoidNodes: ['']\n", ("bad-name", '"" is not the host name of a node')),
        (
            f"affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{{}}]}}}}}}\n",
            ("missing-field", "the term asks for nothing, and no node fits such a term"),
        ),
        ("nodeSelector: {a b: c}\n", ("bad-label", '"a b" cannot be the key of a label')),
        ("tolerations: [{effect: NoSchedule}]\n", ("missing-field", "the toleration names no key")),
        (
            "tolerations: [{key: a, operator: Exists, value: b}]\n",
            ("conflicting-choice", "operator Exists takes no value"),
        ),
        (
            "tolerations: [{key: a, tolerationSeconds: 5}]\n",
            ("conflicting-choice", "tolerationSeconds is about effect NoExecute only"),
        ),
    ],
)
def test_what_can_never_hold_is_said_at_its_line(wish: str, finding: tuple[str, str]) -> None:
    assert finding in said(wish)


def test_a_label_that_one_of_several_pools_has_chooses_that_pool() -> None:
    assert said("nodeSelector: {zone: b}\n", TWO_POOLS) == []
