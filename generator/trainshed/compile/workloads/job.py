"""`batch/v1` Job: a run on one node, the points of a sweep, or workers that do not talk to each other."""

from constructs import Construct

from trainshed.compile.failure import failure_rules
from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.provenance import FieldPath

CONTAINER = "train"


class Job(PlainObject):
    """A run as a Job. Restarts count failures of the code; a pod that the cluster takes away costs none."""

    def __init__(self, scope: Construct, target: Target) -> None:
        origins = run_origins(
            target,
            job_origins(target, "/spec"),
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


def job_origins(target: Target, at: str) -> dict[str, FieldPath]:
    """From the fields of the spec, which stands at a JSON pointer, to the words that cause them."""
    size = ("nodes",) if target.sweep is None else ("sweep",)
    own: dict[str, FieldPath] = {
        "completions": size,
        "parallelism": size if target.sweep is None else ("sweep", "parallel"),
        "backoffLimit": ("restarts",),
        "backoffLimitPerIndex": ("restarts",),
        "maxFailedIndexes": ("sweep", "tolerate"),
        "activeDeadlineSeconds": ("deadline",),
        "podFailurePolicy": ("retryOn",) if target.retry_on else ("failOn",),
        "successPolicy": ("successWhen",),
    }
    return {f"{at}/{field}": words for field, words in own.items()}


def job_spec(target: Target) -> JsonObject:
    """The spec of the Job, which a CronJob carries as well."""
    return without_empty(
        {
            **_restarts(target),
            "activeDeadlineSeconds": target.deadline_seconds or None,
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": _failure_policy(target),
            "successPolicy": _success_policy(target),
            "template": pod_template(
                target,
                target.groups[0],
                container=CONTAINER,
                restart_policy="Never",
            ),
        }
    )


FAULT_ACTIONS = {"unlimited": "Ignore", "counted": "Count"}
"""What a disruption costs; with none to spare it is fatal."""


def _failure_policy(target: Target) -> JsonObject:
    """A point that cannot go on leaves the other points of its sweep alone."""
    fatal = "FailIndex" if target.sweep else "FailJob"
    disrupted = FAULT_ACTIONS.get(target.restarts.faults, fatal)
    return {"rules": failure_rules(target, CONTAINER, fatal=fatal, disrupted=disrupted)}


def _restarts(target: Target) -> JsonObject:
    """Of several pods each is told apart by its index, and has the restarts for itself.

    Workers share one piece of work: the first that is out of restarts ends the Job, unless any of them is enough. Of
    a sweep the spec says.
    """
    failures = target.restarts.failures
    if not target.indexes:
        return {"backoffLimit": failures}
    return {
        "completionMode": "Indexed",
        "completions": target.indexes,
        "parallelism": target.max_pods,
        "backoffLimitPerIndex": failures,
        "maxFailedIndexes": target.sweep.tolerate if target.sweep else None if _is_any_enough(target) else 0,
    }


def _success_policy(target: Target) -> JsonObject:
    """Where one pod that ends well is enough, the Job ends with it, and with it the others."""
    return {"rules": [{"succeededCount": 1}]} if _is_any_enough(target) else {}


def _is_any_enough(target: Target) -> bool:
    return target.success is not None and target.success.done == "any"
