"""`batch.volcano.sh/v1alpha1` Job: a task for each role, started, failed and restarted together by Volcano itself."""

from constructs import Construct

from trainshed.compile.gang import network_topology
from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Role, Target
from trainshed.model.provenance import FieldPath

TASKS = "/spec/tasks"
TASK_RETRIES = 3
"""What Volcano's webhook fills in: written, so that nothing changes on the way in."""

END_WITH_TASK = {"event": "TaskCompleted", "action": "CompleteJob"}
"""All pods of the task have succeeded: the others are ended, and the job is complete. What a task says goes before what
its job says (v1.15.1, `pkg/controllers/job/job_controller_util.go`)."""

PLUGINS = {
    "env": [],
    "svc": ["--publish-not-ready-addresses=true", "--disable-network-policy=true"],
}
"""The index of each pod in its variables, and a name for it in the network: `<run>-<role>-<index>` in the subdomain
`<run>`. The network policy is ours (v1.15.1, `pkg/controllers/job/plugins`)."""


class VolcanoJob(PlainObject):
    """A run of one role or several in the team's Volcano queue."""

    def __init__(self, scope: Construct, target: Target) -> None:
        size = "nodes" if target.sources.has("nodes") else "roles"
        own: dict[str, FieldPath] = {
            TASKS: (size,),
            "/spec/minAvailable": (size,),
            "/spec/queue": ("queue",),
            "/spec/maxRetry": ("restarts",),
            "/spec/policies": ("restarts",),
            "/spec/networkTopology": ("topology",),
        }
        for index, role in enumerate(target.roles):
            own |= {f"{TASKS}/{index}": role.group.field} if role.group.field else {}
            own |= {f"{TASKS}/{index}/policies": ("successWhen",)}
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": "batch.volcano.sh/v1alpha1",
                "kind": "Job",
                "metadata": run_metadata(target),
                "spec": _spec(target),
            },
            run_origins(
                target,
                own,
                {f"{TASKS}/{index}/template": role.group for index, role in enumerate(target.roles)},
            ),
        )


def _spec(target: Target) -> JsonObject:
    """All that the webhook would fill in is written. It takes a maxRetry of 0 for none: the policies say that."""
    together = target.scheduling.together
    return without_empty(
        {
            "minAvailable": together.members if together else target.max_pods,
            "schedulerName": together.scheduler_name if together else "",
            "queue": together.queue if together else "",
            "maxRetry": max(1, target.restarts.failures),
            "plugins": {name: list(arguments) for name, arguments in PLUGINS.items()},
            "policies": _policies(target),
            "networkTopology": network_topology(target),
            "tasks": [_task(target, role) for role in target.roles],
        }
    )


def _policies(target: Target) -> list[JsonObject]:
    """A pod that fails or is taken away starts all of them again, as often as the job says, or ends the job."""
    action = "RestartJob" if target.restarts.failures else "TerminateJob"
    return [{"events": ["PodFailed", "PodEvicted"], "action": action}]


def _task(target: Target, role: Role) -> JsonObject:
    together = target.scheduling.together
    alone = together is not None and together.members == 1
    template = pod_template(
        target, role.group, container=target.backend.carrier.container, restart_policy="Never"
    )
    return {
        "name": role.name,
        "replicas": role.pods,
        "minAvailable": 0 if alone else role.pods,
        "maxRetry": TASK_RETRIES,
        **({"policies": [dict(END_WITH_TASK)]} if _decides(target, role) else {}),
        "template": template,
    }


def _decides(target: Target, role: Role) -> bool:
    """Whether the run has succeeded once this role has, whatever the others do."""
    success = target.success
    return success is not None and (role.name == success.role or success.done == "any")
