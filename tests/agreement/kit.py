"""A real control plane that is set up as one of our clusters is: its nodes, Kueue's configuration, the init container.

The kit is a folder with a `run.sh` that boots etcd, the API server and the operators on loopback, with kwok's nodes
(`--nodes`), a Kueue configuration (KUEUE_CONFIG), and then runs a command against them.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from trainshed.load import load_inputs
from trainshed.model.cluster import Cluster
from trainshed.resolve import resolve_plan
from trainshed.validate.nodes import HOST, nodes_of

JsonObject = dict[str, Any]

NO_TEMPLATE = "--pytorch-init-container-template-file=/nonexistent"
"""How the kit starts the Training Operator: with the init container that is built in."""

LONELY = 4
"""Of every so many machines of a pool, the last is wired to no other: placement that is ignored shows."""


def run_as(cluster: Path, kit: Path, scratch: Path, command: list[str]) -> int:
    """Runs a command against the kit, set up as the cluster that is rendered in a folder; its exit code."""
    copy = scratch / "kit"
    shutil.copytree(kit, copy)
    objects = list(read_objects(cluster))
    (scratch / "initContainer.yaml").write_text(_find(objects, "ConfigMap", "initContainer.yaml"))
    flags = [f"--pytorch-init-container-template-file={scratch}/initContainer.yaml", *_gang_flags(objects)]
    script = (copy / "run.sh").read_text()
    (copy / "run.sh").write_text(script.replace(NO_TEMPLATE, " ".join(flags)))
    configuration = _find(objects, "Application", "controllerManagerConfigYaml")
    (scratch / "kueue.yaml").write_text(configuration)
    nodes = [_wired(cluster_of(cluster), node) for node in nodes_of(cluster_of(cluster))]
    (scratch / "nodes.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    ours = f"{sys.prefix}/bin"  # the kit wants the machine's Python, not that of this environment
    settings = {
        "PATH": os.pathsep.join(path for path in os.environ["PATH"].split(os.pathsep) if path != ours)
    }
    settings |= {"KUEUE_CONFIG": f"{scratch}/kueue.yaml"} if configuration else {}
    boot = [f"{copy}/run.sh", "--nodes", f"{scratch}/nodes.json", "--keep-logs", f"{scratch}/logs", "--"]
    return subprocess.run([*boot, *command], env=os.environ | settings, check=False).returncode


def read_objects(folder: Path) -> Iterator[JsonObject]:
    """Every object of a folder's manifests."""
    for path in sorted(folder.rglob("*.yaml")):
        yield from filter(None, YAML(typ="safe").load_all(path.read_text()))


def cluster_of(folder: Path) -> Cluster:
    """The cluster that a folder of `rendered/` belongs to, as the specs describe it."""
    inputs = load_inputs(folder.absolute().parents[1]).value
    plan = resolve_plan(inputs, {}).value if inputs else None
    if plan is None:
        raise SystemExit("The specs have errors: see trainshed check.")
    return plan.clusters[folder.name]


def _wired(cluster: Cluster, node: JsonObject) -> JsonObject:
    """A node that kwok keeps alive, in a domain of its own where it is one of the lonely ones."""
    name, labels = node["metadata"]["name"], node["metadata"]["labels"]
    lonely = int(name.rpartition("-")[2]) % LONELY == LONELY - 1
    alone = {level.label: name for level in cluster.topology if level.label != HOST} if lonely else {}
    offers = node["status"]["allocatable"]
    return node | {
        "metadata": {"name": name, "labels": labels | alone, "annotations": {"kwok.x-k8s.io/node": "fake"}},
        "status": {"allocatable": offers, "capacity": offers},
    }


def _gang_flags(objects: list[JsonObject]) -> list[str]:
    """How the Training Operator is told to make pod groups; not for Volcano, of which the kit has nothing."""
    applications = json.dumps([body for body in objects if body["kind"] == "Application"])
    return sorted(set(re.findall(r"--gang-scheduler-name=(?!volcano)[\w-]+", applications)))


def _find(objects: list[JsonObject], kind: str, key: str) -> str:
    """The text under a key, however deep, of the first object of a kind that has it."""
    of_kind = (body for body in objects if body["kind"] == kind)
    return next(chain.from_iterable(_texts(body, key) for body in of_kind), "")


def _texts(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get(key), str):
            yield value[key]
        yield from chain.from_iterable(_texts(inner, key) for inner in value.values())
    elif isinstance(value, list):
        yield from chain.from_iterable(_texts(inner, key) for inner in value)
