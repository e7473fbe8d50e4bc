"""What only a workload itself says: whose it is, when it ends, between which sizes it moves, how urgent it is."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from trainshed.engine.asks import PodsAsked
from trainshed.model.manifest import JsonObject
from trainshed.validate.policy.reading.queues import HOLDERS, PRIORITY_LABEL, kueue_labels
from trainshed.validate.policy.reading.values import labels_of, map_at, maps_at, text_at
from trainshed.validate.view import Member

TEAM_LABEL = "trainshed.dev/team"
JOB_LABEL = "trainshed.dev/job"
LONGEST_LABEL = "kueue.x-k8s.io/max-exec-time-seconds"
"""Kueue deactivates a workload that has run for so long."""

DEADLINES = (
    ("spec",),
    ("spec", "runPolicy"),
    ("spec", "jobTemplate", "spec"),
)
"""Where kinds keep `activeDeadlineSeconds`."""

VOLCANO_QUEUES = (
    ("spec", "queue"),
    ("spec", "runPolicy", "schedulingPolicy", "queue"),
    ("metadata", "labels", "volcano.sh/queue-name"),
    ("metadata", "annotations", "scheduling.volcano.sh/queue-name"),
)
"""Where kinds name their queue of Volcano: its own Job, the Training and MPI Operators', KubeRay's, Trainer's."""

RAY_CLUSTERS = (("spec",), ("spec", "rayClusterSpec"))


def read_seconds(body: JsonObject) -> int | None:
    """When the first of all its deadlines ends a run; None where it has none."""
    found = [map_at(body, *steps).get("activeDeadlineSeconds") for steps in DEADLINES]
    labels = [map_at(body, *holder).get(LONGEST_LABEL) for holder in HOLDERS]
    found += [int(label) for label in labels if isinstance(label, str) and label.isdecimal()]
    return min((seconds for seconds in found if isinstance(seconds, int) and seconds > 0), default=None)


def read_sizes(body: JsonObject, pods: PodsAsked) -> tuple[Fraction, Fraction]:
    """The fewest and the most pods of a role, as parts of those that are asked for: (1, 1) where it has one size."""
    bounds = _ray_bounds(body, pods.role) or _torch_bounds(body, pods.role) or (pods.least, pods.count)
    least, most = (bound if isinstance(bound, int) and bound >= 0 else pods.count for bound in bounds)
    return Fraction(least, max(pods.count, 1)), Fraction(max(least, most), max(pods.count, 1))


def _ray_bounds(body: JsonObject, role: str) -> tuple[Any, Any] | None:
    for steps in RAY_CLUSTERS:
        cluster = map_at(body, *steps)
        if cluster.get("enableInTreeAutoscaling") is True:
            for _, group in maps_at(cluster, "workerGroupSpecs"):
                if text_at(group, "groupName").lower() == role.lower():
                    return group.get("minReplicas"), group.get("maxReplicas")
    return None


def _torch_bounds(body: JsonObject, role: str) -> tuple[Any, Any] | None:
    policy = map_at(body, "spec", "elasticPolicy")
    return (
        (policy.get("minReplicas"), policy.get("maxReplicas"))
        if policy and role.lower() == "worker"
        else None
    )


def is_paused(body: JsonObject) -> bool:
    """Whether it is a schedule that makes nothing. Other kinds are suspended by their queue, while they wait."""
    return body.get("kind") == "CronJob" and map_at(body, "spec").get("suspend") is True


def volcano_queue(body: JsonObject, groups: Mapping[tuple[str, str], JsonObject]) -> str:
    """The queue of Volcano that a workload names, or that the PodGroup beside it does."""
    named = [text_at(body, *steps) for steps in VOLCANO_QUEUES]
    beside = groups.get((text_at(body, "metadata", "namespace"), text_at(body, "metadata", "name")), {})
    return next(filter(None, (*named, text_at(beside, "spec", "queue"))), "")


def owner_of(body: JsonObject, teams: Mapping[str, str]) -> tuple[str, str]:
    """Team and job; the team of the namespace where no label says so."""
    labels = labels_of(body)
    namespace = text_at(body, "metadata", "namespace")
    return labels.get(TEAM_LABEL) or teams.get(namespace, ""), labels.get(JOB_LABEL, "")


def priorities_of(members: tuple[Member, ...]) -> dict[str, int]:
    """The values of Kueue's priorities by name."""
    classes = (one for one in members if one.identity.kind == "WorkloadPriorityClass")
    values = {one.identity.name: one.body.get("value") for one in classes}
    return {name: value for name, value in values.items() if isinstance(value, int)}


def read_priority(member: Member, values: Mapping[str, int]) -> int:
    """How far ahead in line it stands."""
    return max((values.get(name, 0) for _, name in kueue_labels(member, PRIORITY_LABEL)), default=0)


def quantities_at(body: JsonObject, *steps: str) -> dict[str, str]:
    """Resources and quantities."""
    return {name: str(value) for name, value in map_at(body, *steps).items()}
