"""Applications: one for each app, and one for each root."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainshed.compile.platform.argocd.naming import (
    API_VERSION,
    application_name,
    at_argocd,
    destination,
    metadata,
)
from trainshed.compile.platform.argocd.syncing import Option, sync_policy
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject
from trainshed.model.source import Source


@dataclass(frozen=True, slots=True)
class App:
    """An app as Argo CD sees it: its folder, the project whose rules it obeys, where it goes, when.

    Without a wave it is a run's. `notify` are the recipients that hear how it fares, by service.
    """

    name: str
    project: str
    namespace: str
    wave: int | None
    source: Source
    notify: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def options(self) -> tuple[Option, ...]:
        """How it is synced. The platform's namespaces are made by who comes first; a team's, by its own app."""
        if self.wave is None:
            return (Option.ONE_OWNER, Option.ONLY_OUT_OF_SYNC, Option.RESPECT_IGNORED)
        namespace = (Option.CREATE_NAMESPACE,) if self.namespace else ()
        return (Option.ONE_OWNER, Option.WITHOUT_DRY_RUN, *namespace)


TRIGGERS = ("on-deployed", "on-health-degraded", "on-sync-failed")
"""What people are told, by names of Argo CD's catalogue of triggers: it has ended well (a run is healthy once it has
succeeded), it has failed, it cannot even be applied (argo-cd.readthedocs.io, `operator-manual/notifications/`)."""


def subscriptions(notify: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Annotations by which Argo CD's notifications find their recipients."""
    return {
        f"notifications.argoproj.io/subscribe.{trigger}.{service}": ";".join(recipients)
        for service, recipients in notify.items()
        for trigger in TRIGGERS
    }


def git_source(cluster: Cluster, folder: str) -> JsonObject:
    """A folder of this repository: plain files, nothing to template."""
    return {"repoURL": cluster.argocd.repo_url, "targetRevision": cluster.argocd.revision, "path": folder}


def application(cluster: Cluster, app: App) -> JsonObject:
    """The Application of an app; with it goes what it synced."""
    annotations = {"argocd.argoproj.io/manifest-generate-paths": ".", **subscriptions(app.notify)}
    name = application_name(cluster, app.name)
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        "metadata": metadata(cluster, name, app.wave, annotations, finalizer=True),
        "spec": {
            "project": app.project,
            "source": git_source(cluster, f"rendered/{cluster.name}/{app.name}"),
            "destination": destination(cluster, app.namespace),
            "syncPolicy": sync_policy(*app.options),
        },
    }


def root(cluster: Cluster, project: str, app: str, *options: Option) -> JsonObject:
    """The Application that looks after the Applications of a folder."""
    name = application_name(cluster, app.rpartition("/")[2])
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        "metadata": metadata(cluster, name, finalizer=True),
        "spec": {
            "project": project,
            "source": git_source(cluster, f"rendered/{cluster.name}/{app}"),
            "destination": at_argocd(cluster),
            "syncPolicy": sync_policy(*options),
        },
    }
