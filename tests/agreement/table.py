"""What was seen of a run, as lines to read."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from stage import KUBERNETES, Take, is_admitted

JsonObject = dict[str, Any]

ROLES = (
    "training.kubeflow.org/replica-type",
    "training.kubeflow.org/job-role",
    "ray.io/group",
    "jobset.sigs.k8s.io/replicatedjob-name",
)
"""Labels by which operators tell the pods of a run apart."""

NOT_RUNS = {"NetworkPolicy", "ConfigMap", "PodDisruptionBudget", "TrainingRuntime", "PodGroup"}


def describe(take: Take) -> str:
    """A run's kind, what Kueue said of it, its pods role by role, and the warnings of its namespace."""
    ours = set(_env_names(take.objects))
    kinds = ", ".join(body["kind"] for body in take.objects if body["kind"] not in NOT_RUNS)
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for pod in take.pods.values():
        alike[_outline(pod, ours)].append(pod["spec"].get("nodeName", "no node"))
    lines = [f"{kinds} {take.name}: {'whole' if take.is_whole else 'NOT WHOLE'}"]
    lines += [f"  {line}" for workload in take.workloads.values() for line in _admission(workload)]
    for (role, phase, *details), nodes in sorted(alike.items()):
        lines.append(f"  {len(nodes)} {role} {phase} on {', '.join(sorted(set(nodes)))}")
        lines += [f"      {detail}" for detail in details if detail]
    lines += [f"  warning {reason}: {words}" for reason, words in sorted(take.warnings.items())]
    return "\n".join(lines)


def role_of(pod: JsonObject) -> str:
    """What a pod is in its run, in the operator's word."""
    labels = pod["metadata"].get("labels", {})
    return next((labels[label] for label in ROLES if label in labels), "pod")


def _outline(pod: JsonObject, ours: set[str]) -> tuple[str, ...]:
    containers = pod["spec"]["containers"]
    first = pod["spec"].get("initContainers", [])
    theirs = {entry["name"] for one in (*containers, *first) for entry in one.get("env", [])} - ours
    return (
        role_of(pod),
        pod["status"].get("phase", "-"),
        *(f"{one['name']}: {one['image'].partition('@')[0]}, {_requests(one)}" for one in containers),
        "first: " + ", ".join(one["name"] for one in first) if first else "",
        "set by operators: " + ", ".join(sorted(theirs)) if theirs else "",
        f"placed by {pod['spec']['schedulerName']}" if pod["spec"]["schedulerName"] != KUBERNETES else "",
    )


def _env_names(value: object) -> Iterator[str]:
    """The names of all environment variables in manifests."""
    if isinstance(value, dict):
        body: JsonObject = value
        yield from (entry["name"] for entry in body.get("env") or [] if "name" in entry)
        for inner in body.values():
            yield from _env_names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _env_names(inner)


def _requests(container: JsonObject) -> str:
    asked = container.get("resources", {}).get("requests", {})
    return ", ".join(f"{name} {amount}" for name, amount in sorted(asked.items())) or "asks for nothing"


def _admission(workload: JsonObject) -> Iterator[str]:
    conditions = {one["type"]: one for one in workload.get("status", {}).get("conditions", [])}
    owner = workload["metadata"].get("ownerReferences", [{"kind": "nobody"}])[0]["kind"]
    if not is_admitted(workload):
        yield f"{owner} PENDING: {conditions.get('QuotaReserved', {}).get('message', 'nothing said')}"
        return
    admission = workload["status"]["admission"]
    rank = workload["spec"].get("priorityClassRef", {}).get("name", "of no class")
    yield f"{owner} admitted by {admission['clusterQueue']}, priority {rank}"
    for pods in admission.get("podSetAssignments", []):
        flavors = ", ".join(sorted(set(pods.get("flavors", {}).values())))
        where = " by topology" if pods.get("topologyAssignment") else ""
        yield f"    {pods['count']} {pods['name']} on {flavors}{where}"
