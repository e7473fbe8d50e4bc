"""Whether a job could ever be admitted: what it asks of each resource against the most its queue can give.

Kueue takes one flavor (pool) for each group of pods. A queue's ceiling in a flavor is its own nominal quota plus
what it may borrow, and never more than the cohort has in all.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from msgspec.structs import replace

from trainshed.model.backend import Backend
from trainshed.model.charges import SUBMITTER_REQUESTS
from trainshed.model.cluster import Pool
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.families import JOBS
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.quantity import describe_amount, parse_quantity
from trainshed.model.team import PoolQuota, TeamOnCluster
from trainshed.resolve.capability import check_capability, counted

Lent: TypeAlias = Mapping[tuple[str, str], Fraction]
"""Nodes that all teams together lend, by cluster and pool."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A resource of which a group asks for more than a pool's ceiling."""

    pool: Pool
    resource: str
    ask: Fraction
    ceiling: Fraction


def sum_lent(teams: Iterable[TeamOnCluster]) -> Lent:
    """What the teams lend, summed once for all jobs."""
    lent: dict[tuple[str, str], Fraction] = {}
    for team in teams:
        for pool, quota in team.quotas.items():
            key = (team.cluster.name, pool)
            lent[key] = lent.get(key, Fraction(0)) + _lent(quota)
    return lent


def check_quota(target: Target, lent: Lent) -> tuple[Diagnostic, ...]:
    """A finding where no pool of the queue could ever hold one of the target's groups."""
    together = target.scheduling.together
    if together and together.queue == target.team.name:
        return check_capability(target, together.queue)
    if not target.queue:
        return ()
    spent: dict[tuple[str, str], Fraction] = {}
    findings: list[Diagnostic] = []
    for group in _charged_groups(target):
        # What is too large for any node is said elsewhere, and no quota would help.
        pools = [pool for pool in group.pools if _fits(group, pool)]
        shortfalls = [_shortfall(target, group, pool, lent, spent) for pool in pools]
        missing = [shortfall for shortfall in shortfalls if shortfall is not None]
        if missing and len(missing) == len(shortfalls):
            findings.append(
                _finding(target, group, min(missing, key=lambda short: short.ask - short.ceiling))
            )
        elif len(group.pools) == 1:
            for resource, quantity in counted(group):
                key = (group.pools[0].name, resource)
                spent[key] = spent.get(key, Fraction(0)) + parse_quantity(quantity) * _needed_pods(
                    target, group
                )
    return tuple(findings)


def _charged_groups(target: Target) -> tuple[PodGroup, ...]:
    """The run's groups, and the pod that KubeRay submits a RayJob with, beside the head."""
    if target.backend is not Backend.RAYJOB:
        return target.groups
    return (*target.groups, replace(target.groups[0], name="submitter", requests=SUBMITTER_REQUESTS))


def _needed_pods(target: Target, group: PodGroup) -> int:
    """How many pods a queue must have room for: all, but of a Job that it may start with fewer."""
    return group.min_pods if target.backend in JOBS else group.max_pods


def _fits(group: PodGroup, pool: Pool) -> bool:
    return all(parse_quantity(ask) <= node_amount(pool, resource) for resource, ask in counted(group))


def _shortfall(
    target: Target,
    group: PodGroup,
    pool: Pool,
    lent: Lent,
    spent: Mapping[tuple[str, str], Fraction],
) -> Shortfall | None:
    ceiling_nodes = _ceiling_nodes(target, pool, lent)
    for resource, quantity in sorted(counted(group), key=lambda item: item[0] in ("cpu", "memory")):
        ask = parse_quantity(quantity) * _needed_pods(target, group)
        ask += spent.get((pool.name, resource), Fraction(0))
        ceiling = ceiling_nodes * node_amount(pool, resource)
        if ask > ceiling:
            return Shortfall(pool, resource, ask, ceiling)
    return None


def _ceiling_nodes(target: Target, pool: Pool, lent: Lent) -> Fraction:
    """Nothing is borrowed without a cohort, nor by what is guaranteed, which stands outside of it."""
    own = target.team.queues[target.queue].get(pool.name)
    if own is None:
        return Fraction(0)
    if not target.cluster.cohort or target.queue == target.team.guaranteed_queue:
        return own.nodes
    others = lent[target.cluster.name, pool.name] - _lent(own)
    return own.nodes + (others if own.borrow_nodes is None else min(own.borrow_nodes, others))


def _lent(quota: PoolQuota) -> Fraction:
    return quota.nodes if quota.lend_nodes is None else quota.lend_nodes


def node_amount(pool: Pool, resource: str) -> Fraction:
    """How much of a resource one node of the pool brings into a queue's quota."""
    return pool.resources.get(resource, Fraction(0))


def _finding(target: Target, group: PodGroup, short: Shortfall) -> Diagnostic:
    field = "gpus" if short.resource == group.gpu_resource else short.resource
    at = (*group.field, "nodes") if target.sources.has(*group.field, "nodes") else (*group.field, field)
    at = ("sweep",) if target.sweep else at
    quota = target.team.queues[target.queue].get(short.pool.name)
    related = [Related(quota.source, "the quota is written here")] if quota else []
    return error(
        Code.QUOTA_EXCEEDED,
        target.sources.find(*at),
        f'{describe_amount(short.resource, short.ask)} are asked for, queue "{target.queue}" can never give more than '
        f'{describe_amount(short.resource, short.ceiling)} in pool "{short.pool.name}" of {target.cluster.name}',
        "ask for less, or raise what is guaranteed to the team"
        if target.queue == target.team.guaranteed_queue
        else "ask for less, or raise the team's quota or what it may borrow",
        related,
    )
