"""Argo CD's own objects: a project for each team, an Application for each app, and two roots a cluster.

The platform's root goes by waves; the runs' root is flat, so that one failed run holds up no other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from constructs import Construct

from trainshed.compile.labels import DOMAIN, MANAGED_BY
from trainshed.compile.objects import PlainObject
from trainshed.compile.plain import without_empty
from trainshed.compile.platform.health import health_rules
from trainshed.compile.platform.kinds import run_kinds
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster

API_VERSION = "argoproj.io/v1alpha1"
PLATFORM = "argocd/platform"
RUNS = "argocd/runs"
ROOT = "argocd/root"
"""The apps of Argo CD's own objects; the last is applied by hand, once."""

FINALIZER = "resources-finalizer.argocd.argoproj.io"
"""Without it, removing an Application leaves what it synced running."""

WAVES: Mapping[str, int] = {
    "project": -30,
    "operator": -20,
    "gpus": -15,
    "queues": -10,
    "storage": -10,
    "team": 0,
    "monitoring": 10,
}
"""The order in the platform's root: an operator's webhooks must answer before queues and namespaces come."""


@dataclass(frozen=True, slots=True)
class App:
    """An app as Argo CD sees it: its folder, the project whose rules it obeys, where it goes, when.

    `notify` are the recipients that hear how it fares, by service.
    """

    name: str
    project: str
    namespace: str
    wave: int | None
    source: Source
    notify: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


def project_name(cluster: Cluster, team: str) -> str:
    """Projects of all clusters may live in one Argo CD, so each is named after its cluster as well."""
    return f"{cluster.name}-{team}"


def application_name(cluster: Cluster, app: str) -> str:
    """Like projects: `<cluster>-<app>`."""
    return f"{cluster.name}-{app}"


def root_objects(scope: Construct, cluster: Cluster) -> list[PlainObject]:
    """What a platform engineer applies once: the roots, their project, and Argo CD's settings."""
    project = project_name(cluster, "platform")
    bodies = [
        _platform_project(cluster, project),
        _root(cluster, project, PLATFORM),
        _root(cluster, project, RUNS),
        _settings(cluster),
    ]
    return [PlainObject(scope, f"o{i}", body, Origins(cluster.source)) for i, body in enumerate(bodies)]


def platform_objects(
    scope: Construct, cluster: Cluster, apps: Iterable[App], operators: list[JsonObject]
) -> list[PlainObject]:
    """The platform's root: operators, queues, teams."""
    applications = [(_application(cluster, app), app.source) for app in apps]
    bodies = [*((body, cluster.sources.find("operators")) for body in operators), *applications]
    return [PlainObject(scope, f"o{i}", body, Origins(source)) for i, (body, source) in enumerate(bodies)]


def run_objects(
    scope: Construct, cluster: Cluster, teams: Iterable[TeamOnCluster], apps: Iterable[App]
) -> list[PlainObject]:
    """The runs' root: a project for each team, pruned after its Applications, and an Application for each job.

    Projects are always there, so that the root's folder is too when the last job of a cluster goes.
    """
    bodies = [(_team_project(cluster, team), team.source) for team in teams]
    bodies += [(_application(cluster, app), app.source) for app in apps]
    return [PlainObject(scope, f"o{i}", body, Origins(source)) for i, (body, source) in enumerate(bodies)]


def destination(cluster: Cluster, namespace: str = "") -> JsonObject:
    """Where Argo CD applies an app."""
    kind, value = cluster.argocd.destination
    return without_empty({kind: value, "namespace": namespace})


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


def sync_policy(*options: str) -> JsonObject:
    """Sync by itself, prune, heal, and never give up; a retry takes the newest commit, which may be the mend."""
    return without_empty(
        {
            "automated": {"prune": True, "selfHeal": True},
            "syncOptions": list(options),
            "retry": {
                "limit": -1,
                "refresh": True,
                "backoff": {"duration": "10s", "factor": 2, "maxDuration": "5m"},
            },
        }
    )


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


def _application(cluster: Cluster, app: App) -> JsonObject:
    folder = f"rendered/{cluster.name}/{app.name}"
    name = application_name(cluster, app.name)
    paths = {"argocd.argoproj.io/manifest-generate-paths": ".", **subscriptions(app.notify)}
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        "metadata": metadata(cluster, name, app.wave, paths, finalizer=True),
        "spec": {
            "project": app.project,
            "source": git_source(cluster, folder),
            "destination": destination(cluster, app.namespace),
            "syncPolicy": sync_policy(*_namespace_option(app), "ServerSideApply=true"),
        },
    }


def _namespace_option(app: App) -> tuple[str, ...]:
    """A team's namespaces are made by its own app; the platform's, by who comes first."""
    return ("CreateNamespace=true",) if app.namespace and app.wave is not None else ()


def git_source(cluster: Cluster, folder: str) -> JsonObject:
    """A folder of this repository: plain files, nothing to template."""
    return {"repoURL": cluster.argocd.repo_url, "targetRevision": cluster.argocd.revision, "path": folder}


def _root(cluster: Cluster, project: str, app: str) -> JsonObject:
    name = application_name(cluster, app.rpartition("/")[2])
    return {
        "apiVersion": API_VERSION,
        "kind": "Application",
        "metadata": metadata(cluster, name, finalizer=True),
        "spec": {
            "project": project,
            "source": git_source(cluster, f"rendered/{cluster.name}/{app}"),
            "destination": {
                "server": "https://kubernetes.default.svc",
                "namespace": cluster.argocd.namespace,
            },
            "syncPolicy": sync_policy("ServerSideApply=true"),
        },
    }


def _platform_project(cluster: Cluster, name: str) -> JsonObject:
    """The platform may do all: it installs operators."""
    anywhere = {"namespace": "*"}
    return {
        "apiVersion": API_VERSION,
        "kind": "AppProject",
        "metadata": metadata(cluster, name, finalizer=True),
        "spec": {
            "description": f"operators, queues and teams of {cluster.name}",
            "sourceRepos": ["*"],
            "destinations": [
                destination(cluster) | anywhere,
                {"server": "https://kubernetes.default.svc", "namespace": cluster.argocd.namespace},
            ],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
            "namespaceResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }


def _team_project(cluster: Cluster, team: TeamOnCluster) -> JsonObject:
    """A team's runs: this repository only, the team's namespaces only, and no object that gives rights."""
    return {
        "apiVersion": API_VERSION,
        "kind": "AppProject",
        "metadata": metadata(cluster, project_name(cluster, team.name), WAVES["project"], finalizer=True),
        "spec": {
            "description": f"runs of team {team.name} on {cluster.name}",
            "sourceRepos": [cluster.argocd.repo_url],
            "destinations": [destination(cluster, namespace) for namespace in team.all_namespaces],
            "namespaceResourceWhitelist": [
                {"group": group, "kind": kind} for group, kind in run_kinds(cluster)
            ],
        },
    }


def _settings(cluster: Cluster) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "argocd-cm",
            "namespace": cluster.argocd.namespace,
            "labels": {"app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd"},
        },
        "data": {
            "application.resourceTrackingMethod": "annotation",
            **dict(health_rules(cluster)),
        },
    }
