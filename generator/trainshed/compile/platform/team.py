"""A team on a cluster: namespaces, ceilings, access, network, service account, queue and volumes."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from constructs import Construct

from trainshed.compile.labels import DOMAIN, team_labels
from trainshed.compile.objects import PlainObject
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.claims import KEPT, claim, claim_origins
from trainshed.compile.platform.kueue import queue_version
from trainshed.compile.platform.network import namespace_policies
from trainshed.model.contract import SERVICE_ACCOUNT
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.quantity import format_binary, format_decimal
from trainshed.model.team import TeamOnCluster

VIEWER = "training-viewer"
MAX_OBJECTS = {"count/jobs.batch": "500", "count/configmaps": "1000", "persistentvolumeclaims": "100"}
"""So that a loop in somebody's script cannot fill etcd."""

VIEWED: tuple[tuple[list[str], list[str]], ...] = (
    (
        [""],
        ["pods", "pods/log", "events", "services", "configmaps", "persistentvolumeclaims", "resourcequotas"],
    ),
    (["batch"], ["jobs", "cronjobs"]),
    (["kubeflow.org"], ["pytorchjobs"]),
    (["ray.io"], ["rayjobs", "rayclusters"]),
    (["kueue.x-k8s.io"], ["workloads", "localqueues"]),
)
"""What members of the team may look at. Nothing may be written: Git is the only way in."""


def team_objects(scope: Construct, team: TeamOnCluster) -> list[PlainObject]:
    """Everything of the team's app on this cluster."""
    return [
        PlainObject(scope, f"o{index}", body, Origins(team.source))
        for index, body in enumerate(_bodies(team))
    ] + [
        PlainObject(scope, f"v{index}", body, origins) for index, (body, origins) in enumerate(_claims(team))
    ]


def _claims(team: TeamOnCluster) -> Iterator[tuple[JsonObject, Origins]]:
    """The team's volumes, a claim of its own in each namespace: pods can mount no claim of another."""
    for namespace in namespaces_of(team):
        for volume in team.volumes.values():
            yield claim(volume, namespace, _labels(team)), claim_origins(volume)


def _labels(team: TeamOnCluster) -> dict[str, str]:
    return team_labels(team.name, team.owner, team.cost_center)


def _bodies(team: TeamOnCluster) -> Iterator[JsonObject]:
    yield from _namespace(team, team.namespace, "restricted", KEPT)
    if team.privileged_namespace:
        why = {f"{DOMAIN}/privileged-why": team.privileged_why}
        yield from _namespace(team, team.privileged_namespace, "privileged", {**KEPT, **why})
    if team.queue:
        yield from (_local_queue(team, namespace) for namespace in namespaces_of(team))


def namespaces_of(team: TeamOnCluster) -> list[str]:
    """The team's namespaces: its own, and the approved second one."""
    return [namespace for namespace in (team.namespace, team.privileged_namespace) if namespace]


def _namespace(
    team: TeamOnCluster, name: str, level: str, annotations: Mapping[str, str]
) -> Iterator[JsonObject]:
    """A namespace and all that lives in it without a job."""
    labels = _labels(team)
    pod_security = {f"pod-security.kubernetes.io/{mode}": level for mode in ("enforce", "audit", "warn")}
    yield {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {**labels, **pod_security}, "annotations": dict(annotations)},
    }
    yield _object("v1", "ResourceQuota", "ceiling", name, labels, {"hard": _ceiling(team)})
    yield _object("v1", "LimitRange", "defaults", name, labels, {"limits": [_container_defaults()]})
    yield without_empty(
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": without_empty(
                {
                    "name": SERVICE_ACCOUNT,
                    "namespace": name,
                    "labels": labels,
                    "annotations": dict(team.service_account_annotations),
                }
            ),
            "automountServiceAccountToken": False,
        }
    )
    yield from namespace_policies(team, name, labels)
    yield from _access(team, name, labels)


def _ceiling(team: TeamOnCluster) -> dict[str, str]:
    """Counts always; compute only where no queue keeps count, for two ledgers would disagree."""
    if team.cluster.has_kueue or not team.quotas:
        return dict(MAX_OBJECTS)
    totals: dict[str, Fraction] = {}
    for quota in team.quotas.values():
        machine = quota.pool.machine
        parts = {
            "requests.cpu": Fraction(quota.pool.share.cpu_millicores, 1000),
            "requests.memory": Fraction(quota.pool.share.memory_bytes),
        }
        if machine.accelerator:
            parts[f"requests.{machine.accelerator.resource}"] = Fraction(machine.accelerator.count)
        for resource, amount in parts.items():
            totals[resource] = totals.get(resource, Fraction(0)) + amount * quota.nodes
    return MAX_OBJECTS | {name: _format(name, amount) for name, amount in totals.items()}


def _format(resource: str, amount: Fraction) -> str:
    return format_binary(int(amount)) if resource.endswith("memory") else format_decimal(amount)


def _container_defaults() -> JsonObject:
    """For containers that operators inject without asking for anything; ours always say what they need."""
    return {
        "type": "Container",
        "defaultRequest": {"cpu": "100m", "memory": "128Mi"},
        "default": {"memory": "512Mi"},
    }


def _access(team: TeamOnCluster, namespace: str, labels: dict[str, str]) -> Iterator[JsonObject]:
    if not team.groups:
        return
    api = "rbac.authorization.k8s.io/v1"
    rules = [
        {"apiGroups": groups, "resources": kinds, "verbs": ["get", "list", "watch"]}
        for groups, kinds in VIEWED
    ]
    metadata = {"name": VIEWER, "namespace": namespace, "labels": labels}
    yield {"apiVersion": api, "kind": "Role", "metadata": metadata, "rules": rules}
    yield {
        "apiVersion": api,
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": VIEWER},
        "subjects": [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group} for group in team.groups
        ],
    }


def _local_queue(team: TeamOnCluster, namespace: str) -> JsonObject:
    return _object(
        queue_version(team.cluster),
        "LocalQueue",
        team.queue,
        namespace,
        _labels(team),
        {"clusterQueue": team.queue},
    )


def _object(
    api_version: str, kind: str, name: str, namespace: str, labels: dict[str, str], spec: JsonObject
) -> JsonObject:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
