"""What operators are told about the PodGroup that they make of a run.

Who makes it is in each operator's own source: the Training Operator v1.9.4 (`pkg/controller.v1/common/job.go`), the MPI
Operator v0.8.2 (`pkg/controller/podgroup.go`), KubeRay v1.6.2 (`controllers/ray/batchscheduler`), Trainer v2.3.0
(`pkg/runtime/framework/plugins`), and Volcano v1.15.1 for its own Job and for pods without a PodGroup
(`pkg/controllers/podgroup`).
"""

from collections.abc import Mapping

from trainshed.compile.plain import without_empty
from trainshed.model.backend import Backend
from trainshed.model.families import RAY
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

GROUP_NAME = "scheduling.k8s.io/group-name"
QUEUE_NAME = "scheduling.volcano.sh/queue-name"
"""Annotations of Volcano: the PodGroup of a pod, and the queue of pods that have none."""


def network_topology(target: Target) -> JsonObject:
    """How close together Volcano places the pods. Tier 1 is the narrowest level above single hosts."""
    closeness = target.scheduling.closeness
    if closeness is None or closeness.by != "volcano" or closeness.level is None:
        return {}
    mode = "hard" if closeness.required else "soft"
    return {"mode": mode, "highestTierAllowed": closeness.level.tier}


def scheduling_policy(target: Target) -> JsonObject:
    """What the run policies of the Training and MPI Operators say of the PodGroup that these make."""
    together = target.scheduling.together
    if together is None:
        return {}
    timeout = together.timeout_seconds if together.scheduler == "coscheduling" else None
    return without_empty(
        {
            "minAvailable": together.members,
            "queue": together.queue,
            "scheduleTimeoutSeconds": timeout,
        }
    )


def pod_group_policy(target: Target) -> JsonObject:
    """What a TrainingRuntime says of the PodGroup of all pods that Trainer makes; nothing where none is wanted."""
    together = target.scheduling.together
    if together is None or together.members == 1:
        return {}
    if together.scheduler == "coscheduling":
        return {"coscheduling": {"scheduleTimeoutSeconds": together.timeout_seconds}}
    return {"volcano": without_empty({"networkTopology": network_topology(target)})}


def gang_labels(target: Target) -> Mapping[str, str]:
    """What KubeRay reads of a Ray cluster's PodGroup on the object itself."""
    together = target.scheduling.together
    if together is None or target.backend not in RAY:
        return {}
    if together.scheduler == "coscheduling":
        return {"ray.io/gang-scheduling-enabled": "true"}
    queue = {"volcano.sh/queue-name": together.queue}
    topology = network_topology(target)
    if not topology:
        return queue
    return {
        **queue,
        "volcano.sh/network-topology-mode": topology["mode"],
        "volcano.sh/network-topology-highest-tier-allowed": str(topology["highestTierAllowed"]),
    }


def gang_annotations(target: Target) -> Mapping[str, str]:
    """The queue, where an operator takes it from the run's annotations: Trainer does."""
    together = target.scheduling.together
    volcano = together is not None and together.scheduler == "volcano"
    return {QUEUE_NAME: together.queue} if together and volcano and target.backend is Backend.TRAINJOB else {}
