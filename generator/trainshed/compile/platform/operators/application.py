"""An operator's Application: the upstream release, and what we lay beside it."""

from trainshed.catalog import operators
from trainshed.catalog.installed import release_of
from trainshed.compile.labels import pod_security_labels
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.argocd import (
    API_VERSION,
    WAVES,
    Option,
    application_name,
    destination,
    git_source,
    metadata,
    project_name,
    sync_policy,
)
from trainshed.compile.platform.operators.beside import operator_configs
from trainshed.compile.platform.operators.helm import helm
from trainshed.compile.platform.operators.kustomize import kustomize
from trainshed.model.catalog import InstallForm, OperatorRelease
from trainshed.model.cluster import Cluster, InstalledOperator
from trainshed.model.manifest import JsonObject
from trainshed.model.naming import operator_app

COMPARED = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
"""What is applied on the server's side is compared there: Argo CD's own imitation of it does not know the defaults of
CRDs, and is being given up (argo-cd v3.5 `docs/user-guide/diff-strategies.md`)."""


def operator_applications(cluster: Cluster) -> list[JsonObject]:
    """An Application for each operator of the cluster."""
    return [_application(cluster, installed) for installed in cluster.operators.values()]


def _application(cluster: Cluster, installed: InstalledOperator) -> JsonObject:
    release = release_of(installed)
    app = operator_app(installed.name)
    policy = sync_policy(Option.CREATE_NAMESPACE, Option.SERVER_SIDE)
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        # No finalizer: an operator that leaves the spec must not take its CRDs along, and every run with them.
        "metadata": metadata(cluster, application_name(cluster, app), WAVES["operator"], COMPARED),
        "spec": {
            "project": project_name(cluster, "platform"),
            "sources": _sources(cluster, release, app),
            "destination": destination(cluster, operators()[installed.name].namespace),
            "syncPolicy": without_empty({**policy, "managedNamespaceMetadata": _namespace(release)}),
        },
    }


def _sources(cluster: Cluster, release: OperatorRelease, app: str) -> list[JsonObject]:
    """The release itself, its CRDs where they lie apart, and the objects of ours beside it."""
    install = release.install
    place = {"repoURL": cluster.mirror.repository(install.repo_url), "targetRevision": install.revision}
    if install.form is InstallForm.HELM:
        sources = [{**place, "path": install.path, "helm": helm(cluster, release)}]
    else:
        sources = [{**place, "path": install.path, "kustomize": kustomize(cluster, release)}]
    if install.crds:
        sources.append({**place, "path": install.crds})
    if app in operator_configs(cluster):
        sources.append(git_source(cluster, f"rendered/{cluster.name}/{app}"))
    return sources


def _namespace(release: OperatorRelease) -> JsonObject:
    """The labels that a namespace needs whose pods reach into their nodes."""
    level = release.settings.get("pod-security", "")
    return {"labels": pod_security_labels(level)} if level else {}
