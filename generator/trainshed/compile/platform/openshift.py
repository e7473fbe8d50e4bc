"""What OpenShift wants besides: its own word on who may run what, and on the labels of Pod Security."""

from collections.abc import Iterator

from trainshed.model.cluster import Cluster
from trainshed.model.contract import SERVICE_ACCOUNT
from trainshed.model.manifest import JsonObject
from trainshed.model.team import TeamOnCluster

OWN_LEVELS = {"security.openshift.io/scc.podSecurityLabelSync": "false"}
"""Keeps OpenShift from writing a namespace's Pod Security labels by what its service accounts may do (its docs,
"Understanding and managing pod security admission"): two writers of one label would never agree."""


def own_levels(cluster: Cluster) -> dict[str, str]:
    """The label of namespaces whose Pod Security level is ours to say."""
    return OWN_LEVELS if cluster.provider.scc else {}


def privileged_access(team: TeamOnCluster, labels: dict[str, str]) -> Iterator[JsonObject]:
    """Lets the service accounts of the team's second namespace use the constraint that admits its pods.

    OpenShift brings a ClusterRole along for each of its own constraints.
    """
    constraint = team.cluster.provider.scc
    if not constraint:
        return
    namespace = team.privileged_namespace
    accounts = sorted({SERVICE_ACCOUNT, *team.service_accounts})
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": f"scc-{constraint}", "namespace": namespace, "labels": labels},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": f"system:openshift:scc:{constraint}",
        },
        "subjects": [
            {"kind": "ServiceAccount", "name": account, "namespace": namespace} for account in accounts
        ],
    }
