"""The job whose life is played: two nodes with GPUs in a queue, with a claim of its own."""

import json
from pathlib import Path

from life.play import JOB_FILE, Play
from repositories import CLUSTER, SMALL, TEAM

LEARNING_RATE = "--lr=0.1"
MEMORY = "memory: 400Gi"
JOB = f"""\
apiVersion: trainshed/v1
kind: TrainingJob
name: resnet
team: vision
image: registry.example.com/vision/train:1.0
framework: pytorch
run: {{command: [python, -m, train, {LEARNING_RATE}]}}
procsPerNode: 1
nodes: 2
gpus: 8
fabric: none
{MEMORY}
data: {{cache: {{mountPath: /cache, create: {{storage: shared, size: 1Ti}}}}}}
"""
OTHER = JOB.replace("name: resnet", "name: other")
OTHER_FILE = "specs/jobs/vision/other.yaml"
KIND = "PyTorchJob"
APP = "lab-job-vision-resnet"
DEFAULTS = TEAM.replace("defaults: {", "defaults: {shm: 8Gi, ")
"""The team's defaults, changed: what is rendered today has more shared memory."""
UPGRADED = CLUSTER.replace("training-operator: v1.9.4", "training-operator: v1.8.1")
"""The cluster with another release of the operator that carries the job."""


def submitted(folder: Path) -> Play:
    """The job is merged, beside another, and waits in its queue."""
    return Play.of(folder, {**SMALL, JOB_FILE: JOB, OTHER_FILE: OTHER})


def running(folder: Path) -> tuple[Play, str]:
    """The job runs; with the name of its run."""
    play = submitted(folder)
    name = run_of(play)
    play.do("run", name=name)
    return play, name


def finished(folder: Path) -> tuple[Play, str]:
    """The job has run, and succeeded."""
    play, name = running(folder)
    play.do("finish", name=name)
    return play, name


def run_of(play: Play, job: str = "resnet") -> str:
    """The name of the job's one run that is rendered."""
    (name,) = play.runs(job)
    return name


def lineage_of(play: Play) -> str:
    """The lineage that the seal of the job's one run records."""
    seal = play.project.path / f"overlays/job-vision-resnet/lab/seals/{run_of(play)}.json"
    return json.loads(seal.read_text("utf-8"))["lineage"]
