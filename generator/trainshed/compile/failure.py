"""Rules for failed pods (`podFailurePolicy`): those of a Job, and of the Jobs in a JobSet.

The first rule that matches decides, in this order: codes after which trying again is useless, disruptions by their own
budget, and where a spec says which codes are worth another try, all others. A program that the runtime starts and that
saved because it was told to stop says so by its code: to a disruption, whether or not the cluster calls it one.
Source: Kubernetes, `pkg/apis/batch/types.go` and `pkg/controller/job/pod_failure_policy.go`.
"""

from trainshed.model.contract import TOLD_TO_STOP
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target


def failure_rules(target: Target, container: str, *, fatal: str, disrupted: str) -> list[JsonObject]:
    """The rules of pods whose program is in `container`.

    `fatal` is the action that ends what nobody may start again, `disrupted` what a disruption does; empty for no rule.
    """
    pattern = {"type": "DisruptionTarget", "status": "True"}
    return [
        *_on_codes(fatal, container, "In", target.fail_on),
        *([{"action": disrupted, "onPodConditions": [pattern]}] if disrupted else []),
        *(_on_codes(disrupted, container, "In", leaving_codes(target)) if disrupted else []),
        *_on_codes(fatal, container, "NotIn", target.retry_on),
    ]


def leaving_codes(target: Target) -> tuple[int, ...]:
    """The code of a program that the runtime starts and that was told to stop, unless the spec calls it a failure."""
    leaves = target.runtime != "none" and TOLD_TO_STOP not in target.fail_on
    return (TOLD_TO_STOP,) if leaves else ()


def _on_codes(action: str, container: str, operator: str, codes: tuple[int, ...]) -> list[JsonObject]:
    """A rule about exit codes; nothing where there are none."""
    told = {"containerName": container, "operator": operator, "values": list(codes)}
    return [{"action": action, "onExitCodes": told}] if codes else []
