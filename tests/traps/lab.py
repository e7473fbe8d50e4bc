"""A cluster with every operator, a team, and one job of each kind: what the traps are set in."""

from collections.abc import Iterator, Mapping
from functools import cache
from json import dumps, loads
from typing import Any

from repositories import JOB, SMALL
from stages.street import Files, Resolved, resolve

from trainshed.compile import compile_manifests
from trainshed.compile.node import prepare_node
from trainshed.model.backend import Backend
from trainshed.model.manifest import JsonObject

OPERATORS = (
    "{training-operator: v1.9.4, kuberay: v1.6.2, kueue: v0.19.2, jobset: v0.12.0, trainer: v2.3.0, "
    "mpi-operator: v0.8.2}"
)
LAB = f"""\
apiVersion: trainshed/v1
kind: Cluster
name: lab
kubernetes: "1.36"
provider: eks
operators: {OPERATORS}
kueue: {{elasticJobs: true}}
pools:
  h100: {{machine: aws/p5.48xlarge, nodes: 8, labels: {{pool: h100}}}}
  cpu: {{machine: aws/m7i.8xlarge, nodes: 8, labels: {{pool: cpu}}}}
storage:
  shared: {{class: efs, driver: efs.csi.aws.com}}
argocd: {{repoURL: "https://git.example.com/ml/training.git"}}
"""
TEAM = SMALL["specs/teams/vision.yaml"].replace("{h100: 4, cpu: 4}", "{h100: 8, cpu: 8}")

TORCH: Mapping[str, Any] = {"framework": "pytorch", "run": {"module": "train"}}
KINDS: Mapping[Backend, Mapping[str, Any]] = {
    Backend.JOB: {},
    Backend.CRONJOB: {"schedule": "0 2 * * 0"},
    Backend.PYTORCHJOB: {**TORCH, "nodes": 3},
    Backend.TFJOB: {"framework": "tensorflow", "nodes": 3},
    Backend.XGBOOSTJOB: {"framework": "xgboost", "nodes": 3},
    Backend.PADDLEJOB: {"framework": "paddle", "nodes": 2},
    Backend.JAXJOB: {"framework": "jax", "nodes": 2},
    Backend.MPIJOB: {"framework": "mpi", "nodes": 2, "run": {"command": ["mpirun", "train"]}},
    Backend.TRAINJOB: {**TORCH, "nodes": 2, "backend": "trainjob"},
    Backend.JOBSET: {**TORCH, "nodes": 2, "backend": "jobset"},
    Backend.RAYJOB: {"framework": "ray", "rayVersion": "2.40.0", "nodes": 2},
    Backend.RAYCLUSTER: {
        "framework": "ray",
        "rayVersion": "2.40.0",
        "nodes": 2,
        "backend": "raycluster",
        "run": None,
    },
}
"""What makes each kind carry the job; Volcano's is on a cluster of its own, MPIJob v1 too."""


def files(*, cluster: str = LAB, **wishes: Any) -> Files:
    """The lab with a job that wishes so; None takes a line of the job away."""
    lines = {line.partition(":")[0]: line for line in JOB.splitlines()}
    for name, wish in wishes.items():
        lines.pop(name, None)
        if wish is not None:
            lines[name] = f"{name}: {dumps(wish)}"
    return {
        "specs/clusters/lab.yaml": cluster,
        "specs/teams/vision.yaml": TEAM,
        "specs/jobs/vision/resnet.yaml": "\n".join(lines.values()) + "\n",
    }


def refusals(**wishes: Any) -> list[str]:
    """What a job with such wishes is refused for: code and place."""
    return [
        f"{finding.code} {finding.source.line}:{finding.source.column}"
        for finding in found(**wishes).findings
        if finding.severity == "error"
    ]


def found(**wishes: Any) -> Resolved:
    """The plan of the lab with such a job, whatever is wrong with it."""
    return resolve(files(**wishes))


def objects(**wishes: Any) -> list[JsonObject]:
    """Everything of the job's app."""
    return list(_compiled(dumps(wishes)))


@cache
def _compiled(wishes: str) -> tuple[JsonObject, ...]:
    prepare_node()
    resolved = found(**loads(wishes))
    assert [finding for finding in resolved.findings if finding.severity == "error"] == []
    manifests = compile_manifests(resolved.plan).value
    assert manifests is not None
    return tuple(
        manifest.body
        for app in manifests.apps
        if app.identity.app == "job-vision-resnet"
        for manifest in app.manifests
    )


def run(kind: Backend, /, **wishes: Any) -> JsonObject:
    """The object that carries the run, when it is of that kind."""
    (carrier,) = (body for body in objects(**{**KINDS[kind], **wishes}) if body["kind"] == kind.kind)
    return carrier


def walk(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Everything in a document, with the way to it."""
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from walk(item, (*path, key))


def pods(bodies: list[JsonObject]) -> list[JsonObject]:
    """Every pod spec in some objects."""
    return [
        value
        for body in bodies
        for _, value in walk(body)
        if isinstance(value, dict) and "containers" in value
    ]
