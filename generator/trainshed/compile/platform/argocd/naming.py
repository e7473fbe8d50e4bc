"""What objects of Argo CD are called, and where they and what they sync belong."""

from collections.abc import Mapping

from trainshed.compile.labels import DOMAIN, MANAGED_BY
from trainshed.compile.plain import without_empty
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject

API_VERSION = "argoproj.io/v1alpha1"
PLATFORM = "argocd/platform"
RUNS = "argocd/runs"
ROOT = "argocd/root"
"""The apps of Argo CD's own objects; the last is applied by hand, once."""

FINALIZER = "resources-finalizer.argocd.argoproj.io"
"""Without it, removing an Application leaves what it synced running."""


def project_name(cluster: Cluster, team: str) -> str:
    """Projects of all clusters may live in one Argo CD, so each is named after its cluster as well."""
    return f"{cluster.name}-{team}"


def application_name(cluster: Cluster, app: str) -> str:
    """Like projects: `<cluster>-<app>`."""
    return f"{cluster.name}-{app}"


def destination(cluster: Cluster, namespace: str = "") -> JsonObject:
    """Where Argo CD applies an app."""
    kind, value = cluster.argocd.destination
    return without_empty({kind: value, "namespace": namespace})


def at_argocd(cluster: Cluster) -> JsonObject:
    """Where Argo CD applies its own objects: beside itself."""
    return {"server": "https://kubernetes.default.svc", "namespace": cluster.argocd.namespace}


def metadata(
    cluster: Cluster,
    name: str,
    wave: int | None = None,
    annotations: Mapping[str, str] | None = None,
    *,
    finalizer: bool = False,
) -> JsonObject:
    """Metadata of an object of Argo CD. With the finalizer, what it looks after goes with it."""
    order = {"argocd.argoproj.io/sync-wave": str(wave)} if wave is not None else {}
    place = {f"{DOMAIN}/environment": cluster.environment, f"{DOMAIN}/region": cluster.region}
    labels = {**MANAGED_BY, f"{DOMAIN}/cluster": cluster.name, **place}
    return without_empty(
        {
            "name": name,
            "namespace": cluster.argocd.namespace,
            "labels": without_empty(labels),
            "annotations": {**order, **(annotations or {})},
            "finalizers": [FINALIZER] if finalizer else [],
        }
    )
