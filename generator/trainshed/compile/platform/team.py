"""A team on a cluster: namespaces, ceilings, access, network, service account, queue and volumes."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter

from constructs import Construct

from trainshed.compile.amounts import format_amount
from trainshed.compile.labels import DOMAIN, pod_security_labels, team_labels
from trainshed.compile.objects import PlainObject
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.claims import KEPT
from trainshed.compile.platform.kinds import operator_kinds
from trainshed.compile.platform.kueue import queue_version
from trainshed.compile.platform.network import namespace_policies
from trainshed.compile.platform.openshift import own_levels, privileged_access
from trainshed.compile.platform.secrets import external_secret
from trainshed.compile.platform.volumes import volume_objects
from trainshed.model.cluster import Cluster
from trainshed.model.contract import SERVICE_ACCOUNT
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.team import TeamOnCluster, resources_of

VIEWER = "training-viewer"
MAX_OBJECTS = {"count/jobs.batch": "500", "count/configmaps": "1000", "persistentvolumeclaims": "100"}
"""So that a loop in somebody's script cannot fill etcd."""

VIEWED: tuple[tuple[list[str], list[str]], ...] = (
    (
        [""],
        ["pods", "pods/log", "events", "services", "configmaps", "persistentvolumeclaims", "resourcequotas"],
    ),
    (["batch"], ["jobs", "cronjobs"]),
    (["kueue.x-k8s.io"], ["workloads", "localqueues"]),
)
"""What members of the team may look at, beside the kinds of the cluster's operators. Nothing may be written: Git is
the only way in."""


def team_objects(scope: Construct, team: TeamOnCluster) -> list[PlainObject]:
    """Everything of the team's app on this cluster."""
    return [
        PlainObject(scope, f"o{index}", body, Origins(team.source))
        for index, body in enumerate(_bodies(team))
    ] + [
        PlainObject(scope, f"v{index}", body, origins)
        for index, (body, origins) in enumerate(_possessions(team))
    ]


def _possessions(team: TeamOnCluster) -> Iterator[tuple[JsonObject, Origins]]:
    """What the team's jobs find there: volumes, and Secrets that come from a store."""
    labels = _labels(team)
    yield from volume_objects(team, team.all_namespaces, labels)
    for namespace in team.all_namespaces:
        for secret in team.external_secrets:
            yield external_secret(secret, namespace, labels), Origins(secret.source)


def _labels(team: TeamOnCluster) -> dict[str, str]:
    return team_labels(team.name, team.owner, team.cost_center)


def _bodies(team: TeamOnCluster) -> Iterator[JsonObject]:
    for namespace in (team.namespace, *team.namespaces):
        yield from _namespace(team, namespace, "restricted", KEPT)
    if team.privileged_namespace:
        why = {f"{DOMAIN}/privileged-why": team.privileged_why}
        yield from _namespace(team, team.privileged_namespace, "privileged", {**KEPT, **why})
        yield from privileged_access(team, _labels(team))
    yield from (_local_queue(team, queue, space) for queue in team.queues for space in team.all_namespaces)


def _namespace(
    team: TeamOnCluster, name: str, level: str, annotations: Mapping[str, str]
) -> Iterator[JsonObject]:
    """A namespace and all that lives in it without a job."""
    labels = _labels(team)
    yield {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {**labels, **pod_security_labels(level), **own_levels(team.cluster)},
            "annotations": dict(annotations),
        },
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
    if team.cluster.has_kueue or team.cluster.has_volcano_queues or not team.quotas:
        return dict(MAX_OBJECTS)
    totals = resources_of(team.quotas.values(), lambda quota: quota.nodes)
    return MAX_OBJECTS | {f"requests.{name}": format_amount(name, amount) for name, amount in totals.items()}


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
        for groups, kinds in (*VIEWED, *_viewed_kinds(team.cluster))
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


def _viewed_kinds(cluster: Cluster) -> Iterator[tuple[list[str], list[str]]]:
    """The kinds that carry runs, as the API server names their resources."""
    for group, kinds in groupby(operator_kinds(cluster), key=itemgetter(0)):
        yield [group], [f"{kind.lower()}s" for _, kind in kinds]


def _local_queue(team: TeamOnCluster, queue: str, namespace: str) -> JsonObject:
    return _object(
        queue_version(team.cluster),
        "LocalQueue",
        queue,
        namespace,
        _labels(team),
        {"clusterQueue": queue},
    )


def _object(
    api_version: str, kind: str, name: str, namespace: str, labels: dict[str, str], spec: JsonObject
) -> JsonObject:
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
