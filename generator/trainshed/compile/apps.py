"""What belongs to which app."""

from collections.abc import Iterable, Iterator, Sequence

from constructs import Construct

from trainshed.compile.beside import BESIDE, OUTLIVING
from trainshed.compile.objects import PlainObject
from trainshed.compile.patches import patch_app
from trainshed.compile.platform.argocd import (
    PLATFORM,
    ROOT,
    RUNS,
    WAVES,
    App,
    platform_objects,
    project_name,
    root_objects,
    run_objects,
)
from trainshed.compile.platform.cluster import cluster_apps
from trainshed.compile.platform.operators import config_objects, operator_applications, operator_configs
from trainshed.compile.platform.team import team_objects
from trainshed.compile.raw import refuse_twice
from trainshed.compile.synced import SyncedRun
from trainshed.compile.synth import synthesize
from trainshed.compile.workloads import WORKLOADS
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import AppId, AppManifests, JsonObject, Origins
from trainshed.model.naming import team_app
from trainshed.model.plan import Target
from trainshed.model.source import Source
from trainshed.model.team import TeamOnCluster


def compile_target(target: Target) -> AppManifests:
    """What is rendered now of a job on one cluster, its patches made last."""
    app = synthesize(AppId(target.cluster.name, target.app), lambda scope: _target_objects(scope, target))
    return patch_app(target, refuse_twice(target, app))


def _target_objects(scope: Construct, target: Target) -> Iterable[PlainObject]:
    """What carries the run and what stands beside it; of one that is over only what outlives runs."""
    if target.life.renders:
        yield WORKLOADS[target.backend](scope, target)
    standing = BESIDE if target.life.renders else OUTLIVING
    companions = (companion for beside in standing for companion in beside(target))
    for index, (body, origins) in enumerate(companions):
        yield PlainObject(scope, f"beside{index}", body, origins)


def platform_apps(cluster: Cluster, teams: Sequence[TeamOnCluster]) -> Iterator[AppManifests]:
    """What jobs find in a cluster: queues, storage, monitoring, operators, and each team's own."""
    for app in cluster_apps(cluster, teams):
        yield synthesize(
            AppId(cluster.name, app.name), lambda scope, app=app: _plain_objects(scope, app.objects)
        )
    for app, (_, body) in operator_configs(cluster).items():
        yield synthesize(
            AppId(cluster.name, app), lambda scope, body=body: config_objects(scope, cluster, body)
        )
    for team in teams:
        yield synthesize(
            AppId(cluster.name, team_app(team.name)), lambda scope, team=team: team_objects(scope, team)
        )


def _plain_objects(scope: Construct, objects: Iterable[tuple[JsonObject, Source]]) -> Iterator[PlainObject]:
    for index, (body, source) in enumerate(objects):
        yield PlainObject(scope, f"o{index}", body, Origins(source))


def argocd_apps(
    cluster: Cluster, teams: Sequence[TeamOnCluster], runs: Iterable[SyncedRun]
) -> Iterator[AppManifests]:
    """The folders of Argo CD's own objects."""
    platform = project_name(cluster, "platform")
    apps = [App(team_app(team.name), platform, "", WAVES["team"], team.source) for team in teams]
    apps += [
        App(app.name, platform, app.namespace, WAVES[app.wave], cluster.source)
        for app in cluster_apps(cluster, teams)
    ]
    synced = [
        App(run.app, project_name(cluster, run.team), run.namespace, None, run.source, run.notify)
        for run in runs
    ]
    operators = operator_applications(cluster)
    yield synthesize(AppId(cluster.name, ROOT), lambda scope: root_objects(scope, cluster), has_overlay=False)
    yield synthesize(
        AppId(cluster.name, PLATFORM),
        lambda scope: platform_objects(scope, cluster, apps, operators),
        has_overlay=False,
    )
    if teams:
        yield synthesize(
            AppId(cluster.name, RUNS),
            lambda scope: run_objects(scope, cluster, teams, synced),
            has_overlay=False,
        )
