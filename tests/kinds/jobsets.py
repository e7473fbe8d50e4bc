"""A cluster with Trainer, JobSet and Kueue, and a job on eight nodes of eight GPUs: scenario B11."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repositories import Project, write_project
from stages import street

CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators: {trainer: v2.3.0, jobset: v0.12.0, kueue: v0.19.2}
pools:
  h100: {machine: onprem/dgx-h100, nodes: 16, labels: {pool: h100}}
  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu}}
storage:
  shared: {class: nfs, driver: nfs.csi.k8s.io}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
"""
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: nlp
clusters: {lab: {quota: {h100: 16, cpu: 4}}}
volumes:
  data: {storage: shared, size: 1Ti}
  checkpoints: {storage: shared, size: 1Ti}
secrets: [wandb]
defaults: {clusters: [lab]}
"""
HEAD = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: llm
team: nlp
image: registry.example.com/nlp/train:1.0
"""
LLM = f"""\
{HEAD}framework: pytorch
nodes: 8
gpus: {{perNode: 8, type: h100}}
run: {{module: nlp.train, args: [--steps=1000]}}
fabric: none
"""
PLACE = "specs/jobs/nlp/llm.yaml"
APP = "job-nlp-llm"


def files(job: str, cluster: str = CLUSTER, team: str = TEAM) -> Mapping[str, str]:
    """A repository with one job."""
    return {"specs/clusters/lab.yaml": cluster, "specs/teams/nlp.yaml": team, PLACE: job}


def project(folder: Path, job: str, cluster: str = CLUSTER, team: str = TEAM) -> Project:
    """The same in a folder, for the real command."""
    return write_project(folder, files(job, cluster, team))


def render(job: str, kind: str) -> dict[str, Any]:
    """The one object of a kind that a job becomes, compiled."""
    return street.body(street.compile_files(files(job)), kind, APP)


def said(job: str, cluster: str = CLUSTER, team: str = TEAM) -> list[str]:
    """What is found in a job: `path:line:column code: summary`."""
    return street.resolve(files(job, cluster, team)).said


def variables(container: Mapping[str, Any]) -> dict[str, str]:
    """The variables of a container by name: the value, or the field of the pod."""
    return {
        entry["name"]: entry.get("value") or entry["valueFrom"].get("fieldRef", {}).get("fieldPath", "")
        for entry in container.get("env", ())
    }


INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
"""Where Kubernetes writes which pod of its Indexed Job a pod is."""
