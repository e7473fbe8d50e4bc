"""Plan in, manifests out: cdk8s constructs, in memory, one small App for each app of a cluster.

May start Node, and does so only when something has to be compiled.
"""

from itertools import chain
from types import ModuleType

from trainshed.compile.node import prepare_node
from trainshed.compile.synced import SyncedRun
from trainshed.model.diagnostic import sort_findings
from trainshed.model.manifest import AppManifests, Manifests
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan
from trainshed.model.remember import Remember, make_anew

__all__ = ["compile_manifests"]


def compile_manifests(plan: Plan, common: str = "", remember: Remember = make_anew) -> Outcome[Manifests]:
    """Every object of every app, the patches of jobs made; findings for those that cannot be.

    `common` is the hash of all specs but those of jobs: what clusters and teams are made from.
    """
    clusters = list(plan.clusters.values())
    teams = [tuple(team for team in plan.teams if team.cluster.name == one.name) for one in clusters]
    runs = [
        [SyncedRun.of(one) for one in plan.targets if one.cluster.name == cluster.name and not one.is_empty]
        for cluster in clusters
    ]
    platform: list[list[AppManifests]] = remember(
        "platform",
        [(common, cluster.name) for cluster in clusters],
        lambda new: (list(_apps().platform_apps(clusters[at], teams[at])) for at in new),
    )
    argocd: list[list[AppManifests]] = remember(
        "argocd",
        [(common, cluster.name, repr(each)) for cluster, each in zip(clusters, runs, strict=True)],
        lambda new: (list(_apps().argocd_apps(clusters[at], teams[at], runs[at])) for at in new),
    )
    jobs = (_apps().compile_target(target) for target in plan.targets if target.renders_anything)
    manifests = Manifests.of(chain(*platform, jobs, *argocd))
    return Outcome(manifests, sort_findings(finding for app in manifests.apps for finding in app.findings))


def _apps() -> ModuleType:
    """What compiles: importing it imports cdk8s, which starts Node."""
    prepare_node()
    from trainshed.compile import apps

    return apps
