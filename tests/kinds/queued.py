"""A cluster that shares H100 nodes between two teams, by Kueue or by another gang scheduler: scenarios D1 to D9."""

from collections.abc import Mapping
from typing import Any

from stages import street

KUEUE = (
    "operators: {training-operator: v1.9.4, kuberay: v1.6.2, jobset: v0.12.0, kueue: v0.19.2}\ncohort: all\n"
)
OLD_KUEUE = KUEUE.replace("v0.19.2", "v0.14.0")
EVERY = "training-operator: v1.9.4, kuberay: v1.6.2, jobset: v0.12.0, mpi-operator: v0.8.2, trainer: v2.3.0"
VOLCANO = f"operators: {{{EVERY}, volcano: v1.15.1}}\n"
COSCHEDULING = f"operators: {{{EVERY}, scheduler-plugins: v0.34.7}}\n"
TOPOLOGY = """\
topology:
  levels: {block: example.com/block, rack: example.com/rack, host: kubernetes.io/hostname}
"""
POOLS = """\
pools:
  cpu: {machine: onprem/cpu-64, nodes: 8, labels: {pool: cpu}}
  h100: {machine: onprem/dgx-h100, nodes: 16, labels: {pool: h100}}
"""
EKS_POOLS = """\
provider: eks
pools:
  cpu: {machine: aws/m7i.8xlarge, nodes: 8, labels: {pool: cpu}}
  h100: {machine: aws/p5.48xlarge, nodes: 12, labels: {pool: h100}}
  h100-spot: {machine: aws/p5.48xlarge, nodes: 12, capacity: spot, labels: {pool: h100-spot}}
"""
QUOTA = "{h100: {nodes: 8, borrow: 4, lend: 3}, cpu: 4}"
JOB = """\
framework: pytorch
run: {module: train}
nodes: 4
gpus: {type: h100, perNode: 8}
fabric: none
"""
PLACE = "specs/jobs/vision/near.yaml"


def cluster(operators: str = KUEUE, pools: str = POOLS) -> str:
    provider = "" if "provider:" in pools else "provider: onprem\n"
    return (
        'apiVersion: trainshed/v1\nkind: Cluster\nname: lab\nkubernetes: "1.36"\n'
        f"{provider}{operators}{pools}"
        'argocd: {repoURL: "https://git.example.com/ml/training.git"}\n'
    )


def team(quota: str = QUOTA, more: str = "", name: str = "vision") -> str:
    return (
        f"apiVersion: trainshed/v1\nkind: Team\nname: {name}\n"
        f"clusters:\n  lab: {{quota: {quota}{more}}}\ndefaults: {{clusters: [lab]}}\n"
    )


def job(words: str = JOB) -> str:
    head = "apiVersion: trainshed/v1\nkind: TrainingJob\nname: near\nteam: vision\n"
    return f"{head}image: registry.example.com/vision/train:1.0\n{words}"


def files(words: str = JOB, made: str = "", owner: str = "") -> Mapping[str, str]:
    """A repository with two teams and one job."""
    return {
        "specs/clusters/lab.yaml": made or cluster(),
        "specs/teams/vision.yaml": owner or team(),
        "specs/teams/nlp.yaml": team("{h100: 4, cpu: 4}", name="nlp"),
        PLACE: job(words),
    }


def one(of: Mapping[str, str], kind: str, name: str = "") -> dict[str, Any]:
    """The one object of a kind, and of a name where one is given, among all that is made."""
    found = [
        body
        for body in street.bodies(street.compile_files(of))
        if body["kind"] == kind and name in ("", body["metadata"]["name"])
    ]
    assert len(found) == 1, [body["metadata"]["name"] for body in found]
    return found[0]


def run(of: Mapping[str, str]) -> dict[str, Any]:
    """The object that carries the job."""
    (body,) = (
        body
        for body in street.bodies(street.compile_files(of), ["job-vision-near"])
        if body["kind"] not in ("NetworkPolicy", "PodGroup", "TrainingRuntime")
    )
    return body


def said(of: Mapping[str, str]) -> list[str]:
    return street.resolve(of).said
