"""`batch/v1` Job: a run on one node."""

from constructs import Construct

from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import field_origins, run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target

CONTAINER = "train"


class Job(PlainObject):
    """A run as a Job. Restarts count failures of the code; a pod that the cluster takes away costs none."""

    def __init__(self, scope: Construct, target: Target) -> None:
        origins = run_origins(
            target,
            field_origins(
                backoffLimit="restarts", activeDeadlineSeconds="deadline", podFailurePolicy="failOn"
            ),
            {"/spec/template": target.groups[0]},
        )
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": run_metadata(target),
                "spec": job_spec(target),
            },
            origins,
        )


def job_spec(target: Target) -> JsonObject:
    """The spec of the Job, which a CronJob carries as well."""
    return without_empty(
        {
            "backoffLimit": target.restarts,
            "activeDeadlineSeconds": target.deadline_seconds or None,
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": {"rules": _failure_rules(target)},
            "template": pod_template(
                target,
                target.groups[0],
                container=CONTAINER,
                restart_policy="Never",
                command=target.command,
                args=target.args,
            ),
        }
    )


def _failure_rules(target: Target) -> list[JsonObject]:
    """Codes after which trying again is useless, then disruptions, which do not count."""
    fatal = {"operator": "In", "values": list(target.fail_on), "containerName": CONTAINER}
    disrupted = {"type": "DisruptionTarget", "status": "True"}
    return [
        *([{"action": "FailJob", "onExitCodes": fatal}] if target.fail_on else []),
        {"action": "Ignore", "onPodConditions": [disrupted]},
    ]
