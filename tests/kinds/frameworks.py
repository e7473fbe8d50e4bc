"""A cluster with the Training Operator, the MPI Operator and Kueue, and jobs of one framework each: section C."""

from pathlib import Path
from typing import Any

from repositories import Project, write_project
from stages import street

from trainshed.model.manifest import JsonObject

OPERATORS = "{training-operator: v1.9.4, mpi-operator: v0.8.2, kueue: v0.19.2}"
V1_ONLY = "{training-operator: {release: v1.9.4, kinds: [PyTorchJob, MPIJob]}, kueue: v0.19.2}"
"""The Training Operator is told to serve MPIJob (v1), and there is no other."""

CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators: %s
pools:
  h100: {machine: onprem/dgx-h100, nodes: 8, labels: {pool: h100}}
  cpu: {machine: onprem/cpu-64, nodes: 8, labels: {pool: cpu}}
security: {privileged: [shop]}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
"""
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: shop
clusters: {lab: {quota: {h100: 8, cpu: 8}}}
groups: ["oidc:shop"]
secrets: [wandb]
privileged: {namespace: shop-free, why: locked memory}
defaults: {clusters: [lab]}
"""
HEAD = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: taste
team: shop
image: registry.example.com/shop/taste:1.0
"""
PLACE = "specs/jobs/shop/taste.yaml"
APP = "job-shop-taste"
PRIVILEGED = "security: {level: privileged, why: the launcher's init container}\n"


def files(job: str, operators: str = OPERATORS) -> dict[str, str]:
    """A repository with one job, and a script beside it."""
    return {
        "specs/clusters/lab.yaml": CLUSTER % operators,
        "specs/teams/shop.yaml": TEAM,
        "specs/jobs/shop/train.py": "print('trained')\n",
        PLACE: HEAD + job,
    }


def project(folder: Path, job: str, operators: str = OPERATORS) -> Project:
    """The same in a folder, for the real command."""
    return write_project(folder, files(job, operators))


def rendered(job: str, kind: str, operators: str = OPERATORS) -> JsonObject:
    """The object that carries the job's run."""
    return street.body(street.compile_files(files(job, operators)), kind, APP)


def said(job: str, operators: str = OPERATORS) -> list[str]:
    """What is found in the job, as `line:column code: summary`."""
    return [line.removeprefix(f"{PLACE}:") for line in street.resolve(files(job, operators)).said]


def judged(repository: Project) -> str:
    """What stands against the specs once they are rendered and judged; nothing if they pass."""
    done = [repository.run("render"), repository.run("check")]
    return "" if [each.code for each in done] == [0, 0] else "\n".join(each.out + each.err for each in done)


def replicas(job: JsonObject) -> dict[str, int]:
    """How many pods each role has."""
    return {role: part["replicas"] for role, part in specs(job).items()}


def specs(job: JsonObject) -> dict[str, Any]:
    """The replica specs by role, in whichever field the kind keeps them."""
    (found,) = (value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs"))
    return found


def pod(job: JsonObject, role: str) -> dict[str, Any]:
    """The pod of a role."""
    return specs(job)[role]["template"]["spec"]


def container(job: JsonObject, role: str) -> dict[str, Any]:
    """The one container of a role."""
    (found,) = pod(job, role)["containers"]
    return found
