"""A Job's rules for failed pods (`podFailurePolicy`), which JobSets and TrainJobs carry as well.

The first rule that matches decides, in this order: codes after which trying again is useless, disruptions by their own
budget, and where a spec says which codes are worth another try, all others.
Source: Kubernetes, `pkg/apis/batch/types.go` and `pkg/controller/job/pod_failure_policy.go`.
"""

from typing import Literal

from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

FAULT_ACTIONS = {"unlimited": "Ignore", "counted": "Count"}
"""What a disruption costs; with none to spare it is fatal."""


def pod_failure_policy(
    target: Target, container: str, fatal: Literal["FailJob", "FailIndex"] = "FailJob"
) -> JsonObject:
    """The policy of a run whose program is in `container`; `fatal` says what ends with the pod: all, or its index."""
    disrupted = {"type": "DisruptionTarget", "status": "True"}
    action = FAULT_ACTIONS.get(target.restarts.faults, fatal)
    rules = [
        _on_codes(fatal, container, "In", target.fail_on),
        {"action": action, "onPodConditions": [disrupted]},
        _on_codes(fatal, container, "NotIn", target.retry_on),
    ]
    return {"rules": [rule for rule in rules if rule]}


def _on_codes(action: str, container: str, operator: str, codes: tuple[int, ...]) -> JsonObject:
    """A rule about exit codes; nothing where there are none."""
    if not codes:
        return {}
    return {
        "action": action,
        "onExitCodes": {"containerName": container, "operator": operator, "values": list(codes)},
    }
