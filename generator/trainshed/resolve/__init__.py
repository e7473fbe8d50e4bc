"""Specs in, plan out: defaults filled, references followed, wishes checked against what a cluster can do.

Touches nothing: no file, no process, no clock.
"""

from types import MappingProxyType

from trainshed.model.diagnostic import has_errors, sort_findings
from trainshed.model.inputs import Inputs
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan
from trainshed.model.seal import SealedRuns, fold
from trainshed.resolve.clusters import resolve_clusters
from trainshed.resolve.filling import check_filling
from trainshed.resolve.layers import draft_jobs
from trainshed.resolve.lives import check_kept, note_older, settle, with_life
from trainshed.resolve.names import check_names
from trainshed.resolve.policies import check_policies, resolve_rules
from trainshed.resolve.quota import check_quota, sum_lent
from trainshed.resolve.targets import resolve_target
from trainshed.resolve.teams import resolve_teams

__all__ = ["resolve_plan"]


def resolve_plan(inputs: Inputs, sealed: SealedRuns) -> Outcome[Plan]:
    """Every cluster, team and job resolved, with all findings at once; what is sealed stays so, whatever is found."""
    clusters, cluster_findings = resolve_clusters(inputs.clusters)
    teams, team_findings = resolve_teams(inputs.teams, clusters)
    drafts, layer_findings = draft_jobs(inputs, clusters, teams)
    targets = tuple(with_life(resolve_target(draft), sealed) for draft in drafts)
    lent = sum_lent(teams.values())
    # A quota or pool that could not be read would make every job look too large.
    judged = () if has_errors([*cluster_findings, *team_findings]) else targets
    findings = [
        *cluster_findings,
        *team_findings,
        *layer_findings,
        *(
            finding
            for draft, target in zip(drafts, targets, strict=True)
            for finding in settle(target, draft.findings)
        ),
        *(
            finding
            for target in judged
            if not target.is_over
            for finding in settle(target, check_quota(target, lent))
        ),
        *check_kept(targets, sealed),
        *note_older(targets),
        *check_names(inputs, targets),
        *check_filling(targets, teams),
        *check_policies(inputs, teams.values()),
    ]
    on_clusters = tuple(teams[key] for key in sorted(teams))
    plan = Plan(MappingProxyType(clusters), on_clusters, targets, resolve_rules(inputs.policies))
    return Outcome(plan, sort_findings(fold(findings)))
