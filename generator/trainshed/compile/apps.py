"""What belongs to which app."""

from collections.abc import Iterable, Iterator

from constructs import Construct

from trainshed.compile.labels import job_labels
from trainshed.compile.names import (
    PASSWD_FILE,
    code_config_map,
    needs_passwd,
    parameters_config_map,
    passwd_config_map,
    passwd_text,
)
from trainshed.compile.objects import PlainObject
from trainshed.compile.plain import without_empty
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
from trainshed.compile.platform.claims import KEPT, claim, claim_origins
from trainshed.compile.platform.kueue import queue_objects
from trainshed.compile.platform.network import run_policy
from trainshed.compile.platform.operators import config_objects, operator_applications, operator_configs
from trainshed.compile.platform.team import team_objects
from trainshed.compile.pod import PARAMETERS_FILE
from trainshed.compile.synth import synthesize
from trainshed.compile.workloads import WORKLOADS
from trainshed.model.cluster import Cluster
from trainshed.model.manifest import AppId, AppManifests, JsonObject, Origins
from trainshed.model.naming import QUEUES_APP, team_app
from trainshed.model.plan import Backend, Plan, Target
from trainshed.model.team import TeamOnCluster


def compile_apps(plan: Plan) -> Iterator[AppManifests]:
    """Every app of every cluster."""
    for cluster in plan.clusters.values():
        teams = [team for team in plan.teams if team.cluster.name == cluster.name]
        targets = [target for target in plan.targets if target.cluster.name == cluster.name]
        yield from _platform_apps(cluster, teams)
        yield from (compile_target(target) for target in targets)
        yield from _argocd_apps(cluster, teams, targets)


def compile_target(target: Target) -> AppManifests:
    """The app of one job on one cluster."""
    return synthesize(AppId(target.cluster.name, target.app), lambda scope: _target_objects(scope, target))


def _target_objects(scope: Construct, target: Target) -> Iterable[PlainObject]:
    labels = job_labels(target)
    origins = Origins(target.sources.find("run"))
    objects: list[PlainObject] = [WORKLOADS[target.backend](scope, target)]
    if target.code_files:
        config = code_config_map(target)
        texts = {key: file.content.decode("utf-8") for key, file in config.files}
        objects.append(PlainObject(scope, "code", _config_map(config.name, target, labels, texts), origins))
    if target.parameters:
        name = parameters_config_map(target).name
        body = _config_map(name, target, labels, {PARAMETERS_FILE: target.parameters + "\n"})
        objects.append(PlainObject(scope, "parameters", body, Origins(target.sources.find("parameters"))))
    if needs_passwd(target):
        body = _config_map(passwd_config_map(target).name, target, labels, {PASSWD_FILE: passwd_text(target)})
        objects.append(PlainObject(scope, "passwd", body, Origins(target.sources.find("code", "git"))))
    if target.max_pods > 1 or target.backend is Backend.RAYJOB:
        policy = run_policy(target.run, target.namespace, labels)
        objects.append(PlainObject(scope, "network", policy, Origins(target.sources.find("nodes"))))
    for index, volume in enumerate(target.claims):
        body = claim(volume, target.namespace, labels)
        objects.append(PlainObject(scope, f"claim{index}", body, claim_origins(volume)))
    return objects


def _config_map(name: str, target: Target, labels: dict[str, str], data: dict[str, str]) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": without_empty(
            {
                "name": name,
                "namespace": target.namespace,
                "labels": labels,
                # A firing of the schedule may still mount what an edit has replaced.
                "annotations": dict(KEPT) if target.backend is Backend.CRONJOB else {},
            }
        ),
        "immutable": True,
        "data": data,
    }


def _platform_apps(cluster: Cluster, teams: list[TeamOnCluster]) -> Iterator[AppManifests]:
    if cluster.has_kueue:
        yield synthesize(AppId(cluster.name, QUEUES_APP), lambda scope: queue_objects(scope, cluster, teams))
    for app, (_, body) in operator_configs(cluster).items():
        yield synthesize(
            AppId(cluster.name, app), lambda scope, body=body: config_objects(scope, cluster, body)
        )
    for team in teams:
        yield synthesize(
            AppId(cluster.name, team_app(team.name)), lambda scope, team=team: team_objects(scope, team)
        )


def _argocd_apps(
    cluster: Cluster, teams: list[TeamOnCluster], targets: list[Target]
) -> Iterator[AppManifests]:
    platform = project_name(cluster, "platform")
    apps = [App(team_app(team.name), platform, "", WAVES["team"], team.source) for team in teams]
    if cluster.has_kueue:
        apps.append(App(QUEUES_APP, platform, "", WAVES["queues"], cluster.source))
    runs = [
        App(target.app, project_name(cluster, target.team.name), target.namespace, None, target.sources.whole)
        for target in targets
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
            lambda scope: run_objects(scope, cluster, teams, runs),
            has_overlay=False,
        )
