"""Two teams on one cluster, and what `trainshed plan` says about their runs."""

import json
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree
from typing import Any

from repositories import Project

POOLS = """\
  h100: {machine: onprem/dgx-h100, nodes: 4, labels: {pool: h100}}
  cpu: {machine: onprem/cpu-64, nodes: 4, labels: {pool: cpu}}
"""
CLUSTER = """\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: onprem
operators: {training-operator: v1.9.4, kuberay: v1.6.2, kueue: v0.19.2}
cohort: all
pools:
POOLS
storage:
  shared: {class: nfs, driver: nfs.csi.k8s.io}
argocd: {repoURL: "https://git.example.com/ml/training.git"}
"""


def cluster(pools: str = POOLS, **words: str) -> str:
    """The cluster, with other pools, and with words in place of others."""
    text = CLUSTER.replace("POOLS\n", pools)
    for old, new in words.items():
        assert f"{old}: " in text
        text = "".join(
            (f"{old}: {new}\n" if new else "") if line.startswith(f"{old}: ") else line
            for line in text.splitlines(keepends=True)
        )
    return text


def team(name: str, quota: str, more: str = "") -> str:
    """A team on the lab with a quota; it has a volume for checkpoints."""
    return (
        f"apiVersion: trainshed/v1\nkind: Team\nname: {name}\n"
        f"clusters:\n  lab: {{{f'quota: {quota}' if quota else ''}}}\n"
        f"volumes: {{checkpoints: {{storage: shared, size: 1Ti}}}}\ndefaults: {{clusters: [lab]}}\n{more}"
    )


def job(name: str, whose: str, size: str, more: str = "deadline: 2h\n") -> str:
    """A job of a team; `size` says nodes and GPUs."""
    return (
        f"apiVersion: trainshed/v1\nkind: TrainingJob\nname: {name}\nteam: {whose}\n"
        f"image: registry.example.com/{whose}/train:1.0\nframework: pytorch\n"
        f"run: {{module: train}}\n{size}\n{more}"
    )


def gpus(nodes: int) -> str:
    """So many whole nodes of eight GPUs."""
    return f"nodes: {nodes}\ngpus: {{type: h100, perNode: 8}}"


def spec(text: str) -> dict[str, str]:
    """A spec at its path."""
    fields = dict(line.partition(": ")[::2] for line in text.splitlines())
    name, whose = fields["name"], fields.get("team", "")
    return {
        "Cluster": {f"specs/clusters/{name}.yaml": text},
        "Team": {f"specs/teams/{name}.yaml": text},
        "TrainingJob": {f"specs/jobs/{whose}/{name}.yaml": text},
    }[fields["kind"]]


def specs(*texts: str) -> dict[str, str]:
    """Several specs at their paths."""
    return {path: text for one in texts for path, text in spec(one).items()}


SHARED = (
    cluster(),
    team("vision", "{h100: {nodes: 2, borrow: 1}, cpu: 2}"),
    team("nlp", "{h100: {nodes: 2}, cpu: 2}"),
)
"""Vision has 16 GPUs of its own and may borrow 8 of the 16 that nlp lends: 24 at most."""

RESNET = job("resnet", "vision", gpus(1))
"""What is merged already: eight GPUs for two hours."""


def branch(merged: Project, folder: Path, *texts: str) -> Project:
    """A copy of what is merged, with specs changed or added."""
    copytree(merged.path, folder, dirs_exist_ok=True)
    copy = Project(folder)
    copy.write(specs(*texts))
    return copy


def render(project: Project) -> None:
    """Write what the specs say, as if it were merged."""
    done = project.act("render")
    assert done.code == 0, done.out


def plan(project: Project, *arguments: str) -> dict[str, Any]:
    """The plan as a document."""
    done = project.act("plan", "--format", "json", *arguments)
    assert done.out, done.err
    return json.loads(done.out)


def level(document: Mapping[str, Any], queue: str, flavor: str, resource: str = "nvidia.com/gpu") -> Any:
    """The one row of a queue's resource."""
    (found,) = [
        one
        for one in document["levels"]
        if (one["queue"], one["flavor"], one["resource"]) == (queue, flavor, resource)
    ]
    return found


def run_of(document: Mapping[str, Any], name: str) -> Any:
    """The one run of a job that differs."""
    (found,) = [one for one in document["runs"] if one["job"] == name]
    return found
