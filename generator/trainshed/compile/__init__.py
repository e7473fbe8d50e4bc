"""Plan in, manifests out: cdk8s constructs, in memory, one small App for each app of a cluster.

May start Node, and does so only when something has to be compiled.
"""

from trainshed.compile.node import prepare_node
from trainshed.model.diagnostic import sort_findings
from trainshed.model.manifest import Manifests
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan

__all__ = ["compile_manifests"]


def compile_manifests(plan: Plan) -> Outcome[Manifests]:
    """Every object of every app, the patches of jobs made; findings for those that cannot be."""
    if not plan.clusters:
        return Outcome(Manifests(()))
    prepare_node()
    from trainshed.compile.apps import compile_apps  # imports cdk8s, which starts Node

    manifests = Manifests.of(compile_apps(plan))
    return Outcome(manifests, sort_findings(finding for app in manifests.apps for finding in app.findings))
