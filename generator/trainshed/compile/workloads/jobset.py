"""`jobset.x-k8s.io/v1alpha2` JobSet: a Job for each role, which start, fail and restart as one."""

from constructs import Construct

from trainshed.compile.jobset import jobset_spec, replicated_job
from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.pod import pod_template
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Role, Target
from trainshed.model.provenance import FieldPath

JOBS = "/spec/replicatedJobs"


class JobSet(PlainObject):
    """A run of one role or several. Its pods are `<run>-<role>-0-<index>` in the subdomain `<run>`."""

    def __init__(self, scope: Construct, target: Target) -> None:
        size = "nodes" if target.sources.has("nodes") else "roles"
        own: dict[str, FieldPath] = {
            JOBS: (size,),
            "/spec/failurePolicy": ("restarts",),
            "/spec/successPolicy": ("successWhen",),
        }
        for index, role in enumerate(target.roles):
            own |= {f"{JOBS}/{index}": role.group.field} if role.group.field else {}
            own[f"{JOBS}/{index}/template/spec/podFailurePolicy"] = (
                "failOn" if target.fail_on else "retryOn" if target.retry_on else "restarts",
            )
        templates = {
            f"{JOBS}/{index}/template/spec/template": role.group for index, role in enumerate(target.roles)
        }
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": "jobset.x-k8s.io/v1alpha2",
                "kind": "JobSet",
                "metadata": run_metadata(target),
                "spec": jobset_spec(target, [_job(target, role) for role in target.roles]),
            },
            run_origins(target, own, templates),
        )


def _job(target: Target, role: Role) -> JsonObject:
    container = target.backend.carrier.container
    template = pod_template(target, role.group, container=container, restart_policy="Never")
    return replicated_job(target, role.name, template, pods=role.pods)
