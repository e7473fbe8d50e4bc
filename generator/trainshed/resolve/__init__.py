"""Specs in, plan out: defaults filled, references followed, wishes checked against what a cluster can do.

Touches nothing: no file, no process, no clock.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from trainshed.model.cluster import Cluster
from trainshed.model.diagnostic import Diagnostic, Findings, has_errors, sort_findings
from trainshed.model.grounds import Grounds
from trainshed.model.inputs import Inputs
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan, Target
from trainshed.model.remember import Remember, make_anew
from trainshed.model.seal import SealedRuns, fold
from trainshed.model.team import TeamOnCluster
from trainshed.resolve.clusters import resolve_clusters
from trainshed.resolve.filling import check_filling
from trainshed.resolve.layers import Shelf, check_environments, draft_job
from trainshed.resolve.lives import check_kept, note_older, settle, with_life
from trainshed.resolve.names import check_names
from trainshed.resolve.policies import check_policies, resolve_rules
from trainshed.resolve.quota import check_quota, sum_lent
from trainshed.resolve.targets import resolve_target
from trainshed.resolve.teams import resolve_teams

__all__ = ["resolve_plan"]


Teams: TypeAlias = Mapping[tuple[str, str], TeamOnCluster]
Surroundings: TypeAlias = tuple[Mapping[str, Cluster], list[Diagnostic], Teams, list[Diagnostic]]
"""Clusters and teams on clusters, each with what is wrong with them."""

Resolved: TypeAlias = tuple[list[tuple[Target, Findings, Findings]], list[Diagnostic]]
"""A job on each of its clusters, what stands against it there, and what no quota of its team holds; then what is wrong
with the names that it leans on."""


def resolve_plan(
    inputs: Inputs, sealed: SealedRuns, remember: Remember = make_anew, grounds: Grounds | None = None
) -> Outcome[Plan]:
    """Every cluster, team and job resolved, with all findings at once; what is sealed stays so, whatever is found."""
    grounds = grounds or Grounds.of(inputs)
    (surroundings,) = remember("surroundings", [(grounds.common,)], lambda _: [_resolve_surroundings(inputs)])
    clusters, cluster_findings, teams, team_findings = surroundings
    jobs = _resolve_jobs(inputs, clusters, teams, remember, grounds)
    found = [(with_life(target, sealed), *wrong) for on_clusters, _ in jobs for target, *wrong in on_clusters]
    targets = tuple(target for target, _, _ in found)
    # A quota or pool that could not be read would make every job look too large.
    judged = () if has_errors([*cluster_findings, *team_findings]) else found
    findings = [
        *cluster_findings,
        *team_findings,
        *check_environments(inputs, clusters),
        *(finding for _, wrong in jobs for finding in wrong),
        *(finding for target, wrong, _ in found for finding in settle(target, wrong)),
        *(
            finding
            for target, _, too_large in judged
            if not target.is_over
            for finding in settle(target, too_large)
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


def _resolve_surroundings(inputs: Inputs) -> Surroundings:
    clusters, cluster_findings = resolve_clusters(inputs.clusters)
    return clusters, cluster_findings, *resolve_teams(inputs.teams, clusters)


def _resolve_jobs(
    inputs: Inputs,
    clusters: Mapping[str, Cluster],
    teams: Mapping[tuple[str, str], TeamOnCluster],
    remember: Remember,
    grounds: Grounds,
) -> list[Resolved]:
    """Each job, in the order of the files."""
    shelf, lent = Shelf.of(inputs), sum_lent(teams.values())

    def resolve(new: list[int]) -> Iterator[Resolved]:
        for index in new:
            drafts, findings = draft_job(inputs.jobs[index], shelf, clusters, teams)
            targets = [(resolve_target(draft), tuple(draft.findings)) for draft in drafts]
            yield [(target, wrong, check_quota(target, lent)) for target, wrong in targets], findings

    questions = [grounds.question(file) for file in inputs.jobs]
    pools = (pool for cluster in clusters.values() for pool in cluster.pools.values())
    return remember("job", questions, resolve, around=[*clusters.values(), *teams.values(), *pools])
