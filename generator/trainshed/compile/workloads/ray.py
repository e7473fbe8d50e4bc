"""A Ray cluster, which a RayJob brings along and a RayCluster is: a head, and groups of workers."""

from trainshed.compile.plain import without_empty
from trainshed.compile.pod import pod_template
from trainshed.compile.pod.security import RESTRICTED
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath
from trainshed.model.quantity import parse_quantity
from trainshed.model.ray import Autoscaler

API_VERSION = "ray.io/v1"
HEAD_CONTAINER = "ray-head"
WORKER_CONTAINER = "ray-worker"


def ray_cluster(target: Target) -> JsonObject:
    """The spec of the cluster."""
    head, *workers = target.groups
    scaler = target.autoscaler
    return without_empty(
        {
            "rayVersion": target.ray_version,
            "enableInTreeAutoscaling": True if scaler else None,
            "autoscalerOptions": _autoscaler(scaler) if scaler else None,
            "headGroupSpec": {
                "rayStartParams": {"dashboard-host": "0.0.0.0", **({"num-cpus": "0"} if workers else {})},
                "template": _head_template(target, head),
            },
            "workerGroupSpecs": [_worker_group(target, group) for group in workers],
        }
    )


def ray_cluster_origins(target: Target, at: str) -> dict[str, FieldPath]:
    """From the fields of the cluster, which stands at a JSON pointer, to the words that cause them."""
    own: dict[str, FieldPath] = {
        at: ("roles",) if target.sources.has("roles") else ("nodes",),
        f"{at}/rayVersion": ("rayVersion",),
        f"{at}/enableInTreeAutoscaling": ("nodes",),
        f"{at}/autoscalerOptions": ("autoscaler",),
        f"{at}/headGroupSpec": target.groups[0].field,
    }
    for index, group in enumerate(target.groups[1:]):
        own[f"{at}/workerGroupSpecs/{index}"] = group.field
    return own


def ray_cluster_templates(target: Target, at: str) -> dict[str, PodGroup]:
    """The pod templates of the cluster by JSON pointer."""
    head, *workers = target.groups
    return {f"{at}/headGroupSpec/template": head} | {
        f"{at}/workerGroupSpecs/{index}/template": group for index, group in enumerate(workers)
    }


def _head_template(target: Target, head: PodGroup) -> JsonObject:
    """The autoscaler beside the head asks the API server for pods, and is the only one that gets a token."""
    template = pod_template(target, head, container=HEAD_CONTAINER, restart_policy="Never")
    token = {"automountServiceAccountToken": True} if target.autoscaler else {}
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


def _autoscaler(scaler: Autoscaler) -> JsonObject:
    """KubeRay gives the autoscaler's sidecar no security context, and restricted namespaces would refuse the head."""
    return without_empty(
        {
            "version": scaler.version,
            "upscalingMode": scaler.upscaling,
            "idleTimeoutSeconds": scaler.idle_seconds,
            "resources": {
                "requests": {"cpu": "500m", "memory": "512Mi"},
                "limits": {"cpu": "500m", "memory": "512Mi"},
            },
            "securityContext": dict(RESTRICTED),
        }
    )
