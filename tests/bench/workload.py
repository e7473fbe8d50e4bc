"""A made-up repository of any size: jobs of three objects each, every job on one of the clusters.

    uv run python -m tests.bench.workload FOLDER --jobs 1000 --clusters 4

Each job becomes a PyTorchJob of two nodes, a ConfigMap with its parameters and a NetworkPolicy.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TEAMS = ("fraud", "ranking", "search", "speech", "vision")
NODES = 100_000
"""Nodes of each cluster's pool: enough for every team's quota."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job as data, for whoever renders it."""

    name: str
    team: str
    cluster: str
    image: str
    learning_rate: float
    seed: int


@dataclass(frozen=True, slots=True)
class Workload:
    """Which jobs there are. Two of one size are the same, byte for byte."""

    num_jobs: int
    num_clusters: int

    @property
    def clusters(self) -> tuple[str, ...]:
        """The names of the clusters."""
        return tuple(f"site-{number}" for number in range(self.num_clusters))

    def jobs(self) -> Iterator[Job]:
        """Every job: teams and clusters in turn."""
        for number in range(self.num_jobs):
            yield Job(
                name=f"run-{number:05d}",
                team=TEAMS[number % len(TEAMS)],
                cluster=self.clusters[number // len(TEAMS) % self.num_clusters],
                image=f"registry.example.com/ml/train:1.{number % 40}.0",
                learning_rate=1 / (1000 + number),
                seed=number,
            )

    def write(self, folder: Path) -> None:
        """Write the specs below `folder`, as a person would."""
        for path, text in self._specs():
            place = folder / "specs" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")

    def _specs(self) -> Iterator[tuple[str, str]]:
        for cluster in self.clusters:
            yield f"clusters/{cluster}.yaml", CLUSTER.format(name=cluster, nodes=NODES)
        quota = json.dumps({cluster: {"quota": {"h100": NODES // len(TEAMS)}} for cluster in self.clusters})
        for team in TEAMS:
            yield f"teams/{team}.yaml", TEAM.format(name=team, quota=quota)
        for job in self.jobs():
            yield f"jobs/{job.team}/{job.name}.yaml", JOB.format(job=job)


CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: {name}
kubernetes: "1.36"
provider: onprem
operators:
  training-operator: v1.9.4
  kuberay: v1.6.2
  kueue: v0.19.2
pools:
  h100: {{machine: onprem/dgx-h100, nodes: {nodes}}}
storage:
  shared: {{class: nfs, driver: nfs.csi.k8s.io}}
argocd: {{repoURL: "https://git.example.com/ml/training.git", destination: {name}}}
"""
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: {name}
owner: {name}-leads
clusters: {quota}
volumes:
  data: {{storage: shared, size: 1Ti}}
  checkpoints: {{storage: shared, size: 1Ti}}
secrets: [wandb]
defaults:
  priority: normal
  checkpoint: {{volume: checkpoints, every: 15m, keep: 3}}
  env:
    WANDB_API_KEY: {{secret: wandb, key: token}}
"""
JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: {job.name}
team: {job.team}
clusters: [{job.cluster}]
framework: pytorch
image: {job.image}
run: {{module: train, args: [--config, /etc/trainshed/parameters.yaml]}}
parameters:
  learningRate: {job.learning_rate:.9f}
  batchSize: 256
  seed: {job.seed}
nodes: 2
gpus: 8
fabric: none
restarts: 3
deadline: 2d
data:
  data: {{volume: data, mountPath: /data, readOnly: true}}
"""


def main() -> None:
    """Write one repository."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--clusters", type=int, default=4)
    asked = parser.parse_args()
    Workload(asked.jobs, asked.clusters).write(asked.folder)


if __name__ == "__main__":
    main()
