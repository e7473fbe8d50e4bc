"""The folders of Argo CD's own objects: what a platform engineer applies once, and what the two roots look after."""

from collections.abc import Iterable

from constructs import Construct

from trainshed.compile.objects import PlainObject
from trainshed.compile.platform.argocd.applications import App, application, root
from trainshed.compile.platform.argocd.naming import PLATFORM, RUNS, project_name
from trainshed.compile.platform.argocd.projects import platform_project, team_project
from trainshed.compile.platform.argocd.settings import settings
from trainshed.compile.platform.argocd.syncing import Option
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster


def root_objects(scope: Construct, cluster: Cluster) -> list[PlainObject]:
    """What a platform engineer applies once: the roots, their project, and Argo CD's settings.

    A sync of the platform goes through all its waves, whatever is in sync: else a retry would not wait for the
    operators that its first try applied. A sync of the runs touches only the Applications that changed.
    """
    project = project_name(cluster, "platform")
    bodies = [
        platform_project(cluster),
        root(cluster, project, PLATFORM),
        root(cluster, project, RUNS, Option.ONLY_OUT_OF_SYNC),
        settings(cluster),
    ]
    return [PlainObject(scope, f"o{i}", body, Origins(cluster.source)) for i, body in enumerate(bodies)]


def platform_objects(
    scope: Construct, cluster: Cluster, apps: Iterable[App], operators: list[JsonObject]
) -> list[PlainObject]:
    """The platform's root: operators, queues, teams."""
    operators_source = cluster.sources.find("operators")
    bodies = [
        *((body, operators_source) for body in operators),
        *((application(cluster, app), app.source) for app in apps),
    ]
    return _plain(scope, bodies)


def run_objects(
    scope: Construct, cluster: Cluster, teams: Iterable[TeamOnCluster], apps: Iterable[App]
) -> list[PlainObject]:
    """The runs' root: a project for each team, pruned after its Applications, and an Application for each job.

    Projects are always there, so that the root's folder is too when the last job of a cluster goes.
    """
    bodies = [(team_project(cluster, team), _origins(team.source, cluster)) for team in teams]
    bodies += [(application(cluster, app), _origins(app.source, cluster)) for app in apps]
    return [PlainObject(scope, f"o{i}", body, origins) for i, (body, origins) in enumerate(bodies)]


def _origins(source: Source, cluster: Cluster) -> Origins:
    """Of a project or an Application: from where, to where, and which kinds there are, is for the cluster to say."""
    words = {field: cluster.sources.find("argocd") for field in ("source", "sourceRepos", "destination")}
    words["namespaceResourceWhitelist"] = cluster.sources.find("operators")
    return Origins(source, tuple((f"/spec/{field}", place) for field, place in words.items()))


def _plain(scope: Construct, bodies: Iterable[tuple[JsonObject, Source]]) -> list[PlainObject]:
    return [PlainObject(scope, f"o{i}", body, Origins(source)) for i, (body, source) in enumerate(bodies)]
