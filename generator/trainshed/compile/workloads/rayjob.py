"""`ray.io/v1` RayJob: an ephemeral Ray cluster, a head and groups of workers, torn down when the job ends."""

import shlex

from constructs import Construct

from trainshed.compile.labels import pod_labels, run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod import (
    RESTRICTED,
    node_affinity,
    node_selector,
    pod_template,
    security_context,
    tolerations,
)
from trainshed.model.charges import SUBMITTER_MEMORY_LIMIT, SUBMITTER_REQUESTS
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import PodGroup, Target
from trainshed.model.quantity import parse_quantity

HEAD_CONTAINER = "ray-head"
WORKER_CONTAINER = "ray-worker"
SUBMITTER_CONTAINER = "ray-job-submitter"
CLUSTER = "/spec/rayClusterSpec"


class RayJob(PlainObject):
    """A Ray job and the cluster that it lives on. Each restart is a new cluster."""

    def __init__(self, scope: Construct, target: Target) -> None:
        workers = target.groups[1:]
        templates = {f"{CLUSTER}/headGroupSpec/template": target.groups[0]}
        templates |= {f"{CLUSTER}/workerGroupSpecs/{i}/template": group for i, group in enumerate(workers)}
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": "ray.io/v1",
                "kind": "RayJob",
                "metadata": run_metadata(target),
                "spec": without_empty(
                    {
                        "runtimeEnvYAML": target.runtime_env,
                        "entrypoint": shlex.join((*target.command, *target.args)),
                        "submissionMode": "K8sJobMode",
                        "shutdownAfterJobFinishes": True,
                        "backoffLimit": target.restarts or None,
                        "activeDeadlineSeconds": target.deadline_seconds or None,
                        "rayClusterSpec": _cluster(target),
                        "submitterPodTemplate": _submitter(target),
                    }
                ),
            },
            run_origins(
                target,
                {
                    "/spec/entrypoint": ("run",),
                    "/spec/runtimeEnvYAML": ("runtimeEnv",),
                    "/spec/backoffLimit": ("restarts",),
                    "/spec/activeDeadlineSeconds": ("deadline",),
                    CLUSTER: ("roles",),
                    f"{CLUSTER}/rayVersion": ("rayVersion",),
                    f"{CLUSTER}/headGroupSpec": ("roles", "head"),
                    **{
                        f"{CLUSTER}/workerGroupSpecs/{i}": ("roles", group.name)
                        for i, group in enumerate(workers)
                    },
                },
                templates,
            ),
        )


def _cluster(target: Target) -> JsonObject:
    head, *workers = target.groups
    return without_empty(
        {
            "rayVersion": target.ray_version,
            "enableInTreeAutoscaling": True if target.is_elastic else None,
            "autoscalerOptions": _autoscaler() if target.is_elastic else None,
            "headGroupSpec": {
                "rayStartParams": {"dashboard-host": "0.0.0.0", **({"num-cpus": "0"} if workers else {})},
                "template": _head_template(target, head),
            },
            "workerGroupSpecs": [_worker_group(target, group) for group in workers],
        }
    )


def _head_template(target: Target, head: PodGroup) -> JsonObject:
    """The autoscaler beside the head asks the API server for pods, and is the only one that gets a token."""
    template = pod_template(target, head, container=HEAD_CONTAINER, restart_policy="Never")
    token = {"automountServiceAccountToken": True} if target.is_elastic else {}
    return {**template, "spec": {**template["spec"], **token}}


def _worker_group(target: Target, group: PodGroup) -> JsonObject:
    """Least and most are always written: the schema asks for them though the API server fills them in."""
    return {
        "groupName": group.name,
        "replicas": group.min_pods,
        "minReplicas": group.min_pods,
        "maxReplicas": group.max_pods,
        "rayStartParams": {"num-cpus": _whole_cpus(group)},
        "template": pod_template(target, group, container=WORKER_CONTAINER, restart_policy="Never"),
    }


def _whole_cpus(group: PodGroup) -> str:
    """Ray counts in whole CPUs and does not know Kubernetes' 1500m."""
    return str(max(int(parse_quantity(group.requests["cpu"])), 1))


def _autoscaler() -> JsonObject:
    """KubeRay gives the autoscaler's sidecar no security context, and restricted namespaces would refuse the head."""
    return {
        "idleTimeoutSeconds": 60,
        "resources": {
            "requests": {"cpu": "500m", "memory": "512Mi"},
            "limits": {"cpu": "500m", "memory": "512Mi"},
        },
        "securityContext": dict(RESTRICTED),
    }


def _submitter(target: Target) -> JsonObject:
    """The pod that submits the job: KubeRay's own has no security context."""
    run_as = target.run_as
    return {
        "metadata": {"labels": pod_labels(target)},
        "spec": without_empty(
            {
                "restartPolicy": "Never",
                "serviceAccountName": target.service_account,
                "automountServiceAccountToken": False,
                "securityContext": without_empty(
                    {
                        "runAsNonRoot": True,
                        "runAsUser": run_as.user,
                        "runAsGroup": run_as.group,
                        "seccompProfile": {"type": "RuntimeDefault"},
                    }
                ),
                "imagePullSecrets": [{"name": name} for name in target.image_pull_secrets],
                "nodeSelector": node_selector(target.groups[0]),
                "affinity": node_affinity(target.groups[0]),
                "tolerations": tolerations(target.groups[0]),
                "containers": [
                    {
                        "name": SUBMITTER_CONTAINER,
                        "image": target.image,
                        "env": [{"name": "HOME", "value": "/tmp"}],
                        "resources": {
                            "requests": dict(SUBMITTER_REQUESTS),
                            "limits": {"memory": SUBMITTER_MEMORY_LIMIT},
                        },
                        "securityContext": security_context(target),
                    }
                ],
            }
        ),
    }
