"""The spec of a JobSet: an object of its own, or the template in a TrainingRuntime.

What JobSet's webhook would fill in is written, so that nothing in the cluster differs from Git (JobSet v0.12.0,
`pkg/webhooks/jobset_webhook.go`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from trainshed.compile.failure import failure_rules, leaving_codes
from trainshed.compile.plain import without_empty
from trainshed.model.backend import Faults
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

EMPTY: Mapping[str, str] = MappingProxyType({})

FILLED_IN: Mapping[str, JsonObject] = {
    "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
    "successPolicy": {"operator": "All"},
    "startupPolicy": {"startupPolicyOrder": "AnyOrder"},
}

EXIT_CODE = r"failed with exit code \d+ matching FailJob rule"
"""What a Job says when a pod's exit code ended it, and not a disruption: the reason is the same for both
(Kubernetes v1.36.3, `pkg/controller/job/pod_failure_policy.go`)."""

LEFT = "failed with exit code {} matching FailJob rule"
"""What it says of one of them."""


@dataclass(frozen=True, slots=True)
class Disruption:
    """What a drained, evicted or lost pod does to its Job, and the failed Job to the JobSet."""

    of_job: str
    of_set: str


DISRUPTIONS: Mapping[Faults, Disruption | None] = {
    "unlimited": Disruption("FailJob", "RestartJobSetAndIgnoreMaxRestarts"),
    "counted": None,
    "none": Disruption("FailJob", "FailJobSet"),
}
"""By the budget for faults. Counted, they are failures like any other."""


def jobset_spec(target: Target, jobs: list[JsonObject]) -> JsonObject:
    """Jobs that start, fail and restart as one."""
    return without_empty(
        {
            "replicatedJobs": jobs,
            **{field: dict(value) for field, value in FILLED_IN.items()},
            **_success_policy(target),
            "failurePolicy": _failure_policy(target),
        }
    )


def _success_policy(target: Target) -> JsonObject:
    """Which roles have to end well, where the spec says it."""
    if target.success is None:
        return {}
    words = {
        "operator": "Any" if target.success.done == "any" else "All",
        "targetReplicatedJobs": [target.success.role] if target.success.role else [],
    }
    return {"successPolicy": without_empty(words)}


def replicated_job(
    target: Target,
    name: str,
    template: JsonObject,
    *,
    pods: int | None = None,
    labels: Mapping[str, str] = EMPTY,
) -> JsonObject:
    """One Job of the set. It never starts a pod again by itself: a pod alone cannot join a run that goes on.

    A TrainingRuntime leaves `pods` out: its TrainJob counts them.
    """
    return {
        "name": name,
        "replicas": 1,
        "template": without_empty(
            {
                "metadata": without_empty({"labels": dict(labels)}),
                "spec": without_empty(
                    {
                        "completionMode": "Indexed",
                        "parallelism": pods,
                        "completions": pods,
                        "backoffLimit": 0,
                        "podFailurePolicy": without_empty({"rules": _pod_rules(target, template)}),
                        "template": template,
                    }
                ),
            }
        ),
    }


def _pod_rules(target: Target, template: JsonObject) -> list[JsonObject]:
    """Why a pod's failure is no plain one: a code after which trying again is useless, or a disruption.

    Where all codes but some are fatal, a pod that leaves because it was told to must not come under them.
    """
    container = template["spec"]["containers"][0]["name"]
    disruption = DISRUPTIONS[target.restarts.faults]
    counted = "Count" if target.retry_on else ""
    return failure_rules(
        target, container, fatal="FailJob", disrupted=disruption.of_job if disruption else counted
    )


def _failure_policy(target: Target) -> JsonObject:
    """How often all starts again, and only when every pod of the attempt before is gone."""
    policy = without_empty({"maxRestarts": target.restarts.failures or None, "rules": _set_rules(target)})
    return {"restartStrategy": "BlockingRecreate", **policy} if policy else {}


def _set_rules(target: Target) -> list[JsonObject]:
    """What comes after a Job that one of its pod rules ended; where both rules do the same, one says it."""
    disruption = DISRUPTIONS[target.restarts.faults]
    codes = target.fail_on or target.retry_on
    reasons = ["PodFailurePolicy"]
    fatal = {"name": "fatal", "action": "FailJobSet", "onJobFailureReasons": reasons}
    if disruption is None or disruption.of_set == fatal["action"]:
        return [fatal] if disruption or codes else []
    told_apart = {**fatal, "onJobFailureMessagePatterns": [EXIT_CODE]}
    disrupted = {"name": "disrupted", "action": disruption.of_set, "onJobFailureReasons": reasons}
    left = [
        {**disrupted, "name": "told-to-stop", "onJobFailureMessagePatterns": [LEFT.format(code)]}
        for code in leaving_codes(target)
    ]
    return [*([*left, told_apart] if codes else []), disrupted]
