"""AppProjects: what the platform may do, and what a team's runs may."""

from typing import Any

from trainshed.compile.plain import without_empty
from trainshed.compile.platform.argocd.naming import (
    API_VERSION,
    at_argocd,
    destination,
    metadata,
    project_name,
)
from trainshed.compile.platform.argocd.syncing import WAVES
from trainshed.compile.platform.kinds import run_kinds
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.team import TeamOnCluster

NO_ORPHANS = (
    {"kind": "PersistentVolumeClaim"},
    {"kind": "ConfigMap", "name": "istio-ca-root-cert"},
    {"kind": "ConfigMap", "name": "openshift-service-ca.crt"},
)
"""What belongs to no app and is no mistake: claims that outlive their job, and what meshes and platforms put into every
namespace."""


def platform_project(cluster: Cluster) -> JsonObject:
    """The platform may do all: it installs operators."""
    return {
        "apiVersion": API_VERSION,
        "kind": "AppProject",
        "metadata": metadata(cluster, project_name(cluster, "platform"), finalizer=True),
        "spec": {
            "description": f"operators, queues and teams of {cluster.name}",
            "sourceRepos": ["*"],
            "destinations": [destination(cluster) | {"namespace": "*"}, at_argocd(cluster)],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
            "namespaceResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }


def team_project(cluster: Cluster, team: TeamOnCluster) -> JsonObject:
    """A team's runs: this repository only, the team's namespaces only, and no object that gives rights.

    Whatever else turns up in the namespaces is reported: nobody but Argo CD is to put anything there.
    """
    name = project_name(cluster, team.name)
    spec = {
        "description": f"runs of team {team.name} on {cluster.name}",
        "sourceRepos": [cluster.argocd.repo_url],
        "destinations": [destination(cluster, namespace) for namespace in team.all_namespaces],
        "namespaceResourceWhitelist": [{"group": group, "kind": kind} for group, kind in run_kinds(cluster)],
        "orphanedResources": {"warn": True, "ignore": [dict(each) for each in NO_ORPHANS]},
        "roles": _roles(name, team),
    }
    return {
        "apiVersion": API_VERSION,
        "kind": "AppProject",
        "metadata": metadata(cluster, name, WAVES["project"], finalizer=True),
        "spec": without_empty(spec),
    }


def _roles(project: str, team: TeamOnCluster) -> list[dict[str, Any]]:
    """Members look at their runs and read their logs; what runs is decided in Git."""
    if not team.groups:
        return []
    role = f"proj:{project}:viewer"
    policies = [f"p, {role}, {resource}, get, {project}/*, allow" for resource in ("applications", "logs")]
    return [{"name": "viewer", "groups": list(team.groups), "policies": policies}]
