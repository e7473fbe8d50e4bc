"""Every finding lands on the word that caused it: of each thing in a pod, for every kind that carries pods."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from kinds.fabrics import FREE, LLM
from kinds.fabrics import files as fabric_files
from repositories import write_project
from stages import street

CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators:
  training-operator: v1.9.4
  mpi-operator: v0.8.2
  kuberay: v1.6.2
  kueue: v0.19.2
  jobset: v0.12.0
  trainer: v2.3.0
pools:
  h100: {machine: onprem/dgx-h100, nodes: 4, labels: {pool: h100}}
storage:
  shared: {class: nfs, driver: nfs.csi.k8s.io}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
"""
TEAM = """\
apiVersion: trainshed/v1
kind: Team
name: vision
clusters: {lab: {quota: {h100: 4}}}
volumes: {shards: {storage: shared, size: 1Ti, filledBy: hand}, kept: {storage: shared, size: 1Ti}}
secrets: [hub]
defaults: {clusters: [lab]}
"""
JOB = """\
apiVersion: trainshed/v1
kind: TrainingJob
name: resnet
team: vision
owner: vision
deadline: 8h
image: registry.example.com/vision/train@sha256:{digest}
""".replace("{digest}", "0" * 64)
MORE = """\
labels: {team-phase: late}
annotations: {example.com/note: late}
code:
  git: {repo: "https://git.example.com/vision.git", commit: 0123456789abcdef0123456789abcdef01234567}
parameters: {lr: 1}
env:
  HUB: {secret: hub, key: token}
  EPOCHS: "9"
envFrom: {secrets: [hub]}
tracking: {kind: wandb, project: eyes}
shm: 1Gi
scratch: 10Gi
data:
  train:
    volume: shards
    mountPath: /train
    readOnly: true
    requires: index.json
checkpoint:
  volume: kept
  every: 10m
ports:
  debug: 5678
preflight:
  gpus: true
  storage: true
sidecars:
  - name: watch
    command: [watch]
initContainers:
  - name: unpack
    command: [unpack]
gracePeriod: 90s
tolerations: [{key: lab, operator: Exists}]
nodeSelector: {zone: a}
"""
PLACE = "specs/jobs/vision/resnet.yaml"

KINDS: Mapping[str, str] = {
    "job": "gpus: 8\nrun: {command: [train]}\n",
    "pytorchjob": "framework: pytorch\nbackend: pytorchjob\nnodes: 2\ngpus: 8\nfabric: none\nrun: {script: train.py}\n",
    "mpijob": "framework: mpi\nnodes: 2\ngpus: 8\nfabric: none\nrun: {command: [train]}\n",
    "jobset": "framework: pytorch\nbackend: jobset\nnodes: 2\ngpus: 8\nfabric: none\nrun: {script: train.py}\n",
    "trainjob": "framework: pytorch\nbackend: trainjob\nnodes: 2\ngpus: 8\nfabric: none\nrun: {script: train.py}\n",
    "rayjob": "framework: ray\nrayVersion: 2.50.0\nnodes: 2\ngpus: 8\nfabric: none\nrun: {command: [train]}\n",
}
NAMED = {
    "volumes": {
        "code": "code.git",
        "parameters": "parameters",
        "shm": "shm",
        "scratch": "scratch",
        "train": "data.train.volume",
        "checkpoints": "checkpoint.volume",
    },
    "initContainers": {
        "clone-code": "code.git",
        "require-train": "data.train.requires",
        "check-gpus": "preflight.gpus",
        "check-checkpoints": "preflight.storage",
        "watch": "sidecars.0",
        "unpack": "initContainers.0",
    },
    "env": {
        "HUB": "env.HUB",
        "EPOCHS": "env.EPOCHS",
        "WANDB_PROJECT": "tracking.project",
        "TRAINSHED_CHECKPOINT_DIR": "checkpoint",
        "TRAINSHED_PARAMETERS": "parameters",
        "TRAINSHED_JOB": "name",
    },
    "volumeMounts": {"scratch": "scratch", "train": "data.train.volume"},
    "ports": {"debug": "ports.debug"},
}
"""By list and name, the field of the spec that asks for a thing."""

BESIDE = ("NetworkPolicy", "Service")
SUBMITTER = "submitterPodTemplate"
"""What has no pods of the training."""


def files(more: str) -> dict[str, str]:
    return {"specs/clusters/lab.yaml": CLUSTER, "specs/teams/vision.yaml": TEAM, PLACE: JOB + more}


def named_things(value: Any, pointer: str = "") -> Iterator[tuple[str, str, str]]:
    """Each item of a list that has a name, but not those of further containers: the list, the name, the pointer."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from named_things(item, f"{pointer}/{key}")
    elif isinstance(value, list):
        place = pointer.rpartition("/")[2]
        for index, item in enumerate(value):
            if isinstance(item, dict) and "name" in item:
                yield place, item["name"], f"{pointer}/{index}"
            if place != "initContainers":
                yield from named_things(item, f"{pointer}/{index}")


@pytest.mark.parametrize("kind", KINDS)
def test_each_named_thing_of_a_pod_is_known_by_the_line_that_asks_for_it(kind: str) -> None:
    specs = files(KINDS[kind] + MORE)
    target = street.resolve(specs).target()
    run = [app for app in street.compile_files(specs).apps if app.identity.app == "job-vision-resnet"]
    seen: set[tuple[str, str]] = set()
    for manifest in (manifest for app in run for manifest in app.manifests):
        if manifest.identity.kind in BESIDE:
            continue
        for place, name, pointer in named_things(manifest.body):
            field = NAMED.get(place, {}).get(name)
            if field is not None and SUBMITTER not in pointer:
                assert manifest.origins.find(pointer) == target.sources.find(*steps(field)), (pointer, name)
                seen.add((place, name))

    assert seen == {(place, name) for place, names in NAMED.items() for name in names}


def steps(field: str) -> Iterator[str | int]:
    return (int(step) if step.isdigit() else step for step in field.split("."))


LIMIT = """\
rawObjects:
  - apiVersion: v1
    kind: LimitRange
    metadata: {name: least, namespace: team-vision}
    spec: {limits: [{type: Container, min: {cpu: 200m}}]}
"""
"""Refuses the small containers beside the training, each where it stands."""

JUDGED = [kind for kind in KINDS if kind != "trainjob"]
"""A TrainJob's pods are its runtime's, which is named as a whole."""


@pytest.mark.parametrize("kind", JUDGED)
def test_a_judge_who_refuses_a_further_container_points_at_its_own_line(kind: str, tmp_path: Path) -> None:
    text = JOB + KINDS[kind] + MORE + LIMIT

    said = write_project(tmp_path, files(KINDS[kind] + MORE + LIMIT)).run("check").out

    pointed = {line_of(text, finding) for finding in said.splitlines() if "error[limit-range]" in finding}
    assert pointed >= {
        "git: {repo:",
        "requires: index.json",
        "gpus: true",
        "storage: true",
        "- name: watch",
        "- name: unpack",
    }, said


def line_of(text: str, finding: str) -> str:
    """The first words of the line that a finding of the job points at."""
    path, line, *_ = finding.split(":")
    assert path == PLACE
    words = text.splitlines()[int(line) - 1].split()
    return " ".join(words[: 3 if words[0] == "-" else 2])


def test_a_path_of_the_node_that_a_fabric_needs_is_the_word_of_the_fabric(tmp_path: Path) -> None:
    for number, (wish, word) in enumerate({"": "nodes:", "fabric: {verify: off}\n": "fabric:"}.items()):
        project = write_project(tmp_path / str(number), fabric_files(LLM + FREE + wish, "mega"))

        found = [line for line in project.run("check").out.splitlines() if "[host-path]" in line]

        lines = {int(line.split(":")[1]) for line in found if line.startswith("specs/jobs/nlp/llm.yaml")}
        text = (LLM + FREE + wish).splitlines()
        assert [text[line - 1].split()[0] for line in lines] == [word]


def test_what_a_patch_adds_is_the_word_of_the_patch(tmp_path: Path) -> None:
    patch = """\
patches:
  - target: {kind: Job}
    merge:
      spec:
        template:
          spec:
            volumes: {$append: [{name: host, hostPath: {path: /var/log}}]}
"""
    text = JOB + KINDS["job"] + MORE + patch

    said = write_project(tmp_path, files(KINDS["job"] + MORE + patch)).run("check").out

    (found,) = {line.split(":")[1] for line in said.splitlines() if "[host-path]" in line}
    assert text.splitlines()[int(found) - 1].strip().startswith("volumes: {$append")
