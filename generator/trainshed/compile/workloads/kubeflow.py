"""What the kinds of the Training Operator have in common: replica specs by role, and one run policy."""

from collections.abc import Mapping
from types import MappingProxyType

from constructs import Construct

from trainshed.compile.gang import scheduling_policy
from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.compile.pod.part import PodPart
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Role, Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath

API_VERSION = "kubeflow.org/v1"

CLEAN_POD_POLICY = {"running": "Running", "all": "All", "none": "None"}
TYPES = {
    "master": "Master",
    "worker": "Worker",
    "chief": "Chief",
    "ps": "PS",
    "evaluator": "Evaluator",
    "launcher": "Launcher",
}
"""Roles as the operator spells its replica types."""


class KubeflowJob(PlainObject):
    """A run of the Training Operator, which fills in ports and addresses by itself.

    `replicas` is the field that holds the replica specs, `spec` what only this kind has or has otherwise, `origins`
    the words that cause that, by JSON pointer.
    """

    def __init__(
        self,
        scope: Construct,
        target: Target,
        replicas: str,
        spec: Mapping[str, object] = MappingProxyType({}),
        origins: Mapping[str, FieldPath] = MappingProxyType({}),
    ) -> None:
        own = {**origins, **replica_origins(target, replicas)}
        super().__init__(
            scope,
            "run",
            _body(target, replicas, spec),
            run_origins(target, own, replica_templates(target, replicas)),
        )


def _body(target: Target, replicas: str, spec: Mapping[str, object]) -> JsonObject:
    return {
        "apiVersion": API_VERSION,
        "kind": target.backend.kind,
        "metadata": run_metadata(target),
        "spec": without_empty(
            {
                "runPolicy": run_policy(target, container_restarts(target)),
                replicas: {TYPES[role.name]: replica(target, role) for role in target.roles},
                **spec,
            }
        ),
    }


def run_policy(target: Target, backoff_limit: int) -> JsonObject:
    """Never a TTL: Argo CD would create the job again, and it would run again."""
    return without_empty(
        {
            "cleanPodPolicy": CLEAN_POD_POLICY[target.cleanup],
            "backoffLimit": backoff_limit,
            "schedulingPolicy": scheduling_policy(target),
        }
    )


def container_restarts(target: Target) -> int:
    """The operator counts restarts of containers and gives up when it reaches the number; one failure restarts all."""
    return target.restarts.failures * target.max_pods + 1 if target.restarts.failures else 0


def replica(target: Target, role: Role, *extra: PodPart) -> JsonObject:
    """The pods of one role. What nobody may restart ends the job with its first failure."""
    container = target.backend.carrier.container
    return {
        "replicas": role.pods,
        "restartPolicy": "OnFailure" if target.restarts.failures else "Never",
        "template": pod_template(target, role.group, container=container, extra=extra),
    }


def replica_origins(target: Target, replicas: str) -> dict[str, FieldPath]:
    """From the fields that all kinds have to the words that cause them."""
    own: dict[str, FieldPath] = {
        "/spec/runPolicy/cleanPodPolicy": ("cleanup",),
        "/spec/runPolicy/backoffLimit": ("restarts",),
        f"/spec/{replicas}": ("nodes",) if target.sources.has("nodes") else ("roles",),
    }
    for role in target.roles:
        if role.group.field:
            own[f"/spec/{replicas}/{TYPES[role.name]}"] = role.group.field
    return own


def replica_templates(target: Target, replicas: str) -> dict[str, PodGroup]:
    """The pod templates by JSON pointer."""
    return {f"/spec/{replicas}/{TYPES[role.name]}/template": role.group for role in target.roles}
