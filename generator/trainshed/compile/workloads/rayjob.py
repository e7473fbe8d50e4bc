"""`ray.io/v1` RayJob: an ephemeral Ray cluster, a head and groups of workers, torn down when the job ends."""

import shlex

from constructs import Construct

from trainshed.compile.labels import pod_labels, run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import field_origins, run_origins, template_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod.disruption import undisturbed
from trainshed.compile.pod.mesh import mesh
from trainshed.compile.pod.part import CONTAINER, PodSum
from trainshed.compile.pod.placement import affinity, node_selector, tolerations
from trainshed.compile.pod.security import security_context
from trainshed.compile.pod.setup import started_by_runtime
from trainshed.compile.workloads.ray import (
    API_VERSION,
    ray_cluster,
    ray_cluster_origins,
    ray_cluster_templates,
)
from trainshed.model.charges import SUBMITTER_MEMORY_LIMIT, SUBMITTER_REQUESTS
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.provenance import FieldPath

SUBMITTER_CONTAINER = "ray-job-submitter"
CLUSTER = "/spec/rayClusterSpec"
SUBMITTER = "/spec/submitterPodTemplate"

SHARED = (
    "/spec/serviceAccountName",
    "/spec/imagePullSecrets",
    "/spec/securityContext",
    "/spec/nodeSelector",
    "/spec/affinity",
    "/spec/tolerations",
    f"{CONTAINER}/image",
    f"{CONTAINER}/securityContext",
)
"""What the submitter's pod has of the head's."""


class RayJob(PlainObject):
    """A Ray job and the cluster that it lives on. Each restart is a new cluster."""

    def __init__(self, scope: Construct, target: Target) -> None:
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": API_VERSION,
                "kind": "RayJob",
                "metadata": run_metadata(target),
                "spec": without_empty(
                    {
                        "runtimeEnvYAML": target.runtime_env,
                        "entrypoint": shlex.join((*started_by_runtime(target, target.command), *target.args)),
                        "submissionMode": "K8sJobMode",
                        "shutdownAfterJobFinishes": True,
                        "ttlSecondsAfterFinished": target.keep_failed_seconds or None,
                        "backoffLimit": target.restarts.failures or None,
                        "preRunningDeadlineSeconds": target.startup_seconds or None,
                        "activeDeadlineSeconds": target.deadline_seconds or None,
                        "rayClusterSpec": ray_cluster(target),
                        "submitterPodTemplate": _submitter(target),
                    }
                ),
            },
            run_origins(
                target,
                field_origins(
                    entrypoint="run",
                    runtimeEnvYAML="runtimeEnv",
                    ttlSecondsAfterFinished="keepFailedFor",
                    backoffLimit="restarts",
                    preRunningDeadlineSeconds="startupTimeout",
                    activeDeadlineSeconds="deadline",
                )
                | _submitter_origins(target)
                | ray_cluster_origins(target, CLUSTER),
                ray_cluster_templates(target, CLUSTER),
            ),
        )


def _submitter_origins(target: Target) -> dict[str, FieldPath]:
    """The submitter goes where the head goes, and is what the training is."""
    head = dict(template_origins(target, target.groups[0]))
    return {f"{SUBMITTER}{place}": head[place] for place in SHARED if place in head}


def _submitter(target: Target) -> JsonObject:
    """The pod that submits the job: KubeRay's own has no security context."""
    run_as = target.run_as
    return {
        "metadata": _submitter_metadata(target),
        "spec": without_empty(
            {
                "restartPolicy": "Never",
                "serviceAccountName": target.service_account,
                "automountServiceAccountToken": False,
                "enableServiceLinks": False,
                "securityContext": without_empty(
                    {
                        "runAsNonRoot": run_as.user != 0,
                        "runAsUser": run_as.user,
                        "runAsGroup": run_as.group,
                        "seccompProfile": {"type": "RuntimeDefault"},
                    }
                ),
                "imagePullSecrets": [{"name": name} for name in target.image_pull_secrets],
                "nodeSelector": node_selector(target, target.groups[0]),
                "affinity": affinity(target, target.groups[0]),
                "tolerations": tolerations(target, target.groups[0]),
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


def _submitter_metadata(target: Target) -> JsonObject:
    """It belongs to the run as its other pods do: outside of the mesh, and undisturbed."""
    parts = PodSum.of(concern(target, target.groups[0]) for concern in (mesh, undisturbed))
    return without_empty(
        {"labels": {**pod_labels(target), **parts.merge("labels")}, "annotations": parts.merge("annotations")}
    )
