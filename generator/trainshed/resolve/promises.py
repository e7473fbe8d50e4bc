"""What a team is promised of a cluster: its own nodes, what of them is guaranteed, what it lends and borrows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from trainshed.model.cluster import Cluster, Pool
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.inputs import SpecFile
from trainshed.model.source import Source
from trainshed.model.spec import TeamSpec
from trainshed.model.spec.queueing import Quota
from trainshed.model.spec.team import TeamCluster
from trainshed.model.suggest import did_you_mean
from trainshed.model.team import PoolQuota, TeamOnCluster


@dataclass(frozen=True, slots=True)
class Quotas:
    """A team's part of a cluster: by pool what others may borrow or take back, what nobody may, and its weight."""

    own: Mapping[str, PoolQuota]
    guaranteed: Mapping[str, PoolQuota]
    weight: int


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a quota, at one of its fields."""

    code: Code
    field: str
    summary: str
    detail: str


def resolve_quotas(
    file: SpecFile[TeamSpec], cluster: Cluster, here: TeamCluster | None, findings: list[Diagnostic]
) -> Quotas:
    """The team's quotas there; what is wrong with them is added to the findings."""
    own: dict[str, PoolQuota] = {}
    guaranteed: dict[str, PoolQuota] = {}
    for name, quota in ((here and here.quota) or {}).items():
        path = ("clusters", cluster.name, "quota", name)
        source = file.tree.key_source(path)
        pool = cluster.pools.get(name)
        if pool is None and not cluster.sources.has("pools", name):
            findings.append(
                error(
                    Code.UNKNOWN_POOL,
                    source,
                    f'cluster "{cluster.name}" has no pool "{name}"',
                    did_you_mean(name, cluster.pools),
                )
            )
        # Of a pool that is described and could not be resolved, the cluster's own finding says what is wrong.
        if pool is None or quota is None:
            continue
        problem = next(_problems(quota, pool, cluster), None)
        if problem is None:
            own[name], guaranteed[name] = _share(quota, pool, source)
        else:
            place = file.tree.key_source((*path, problem.field))
            findings.append(error(problem.code, place, problem.summary, problem.detail))
    findings.extend(_check_weight(file, cluster, here))
    return Quotas(
        own=MappingProxyType(own),
        guaranteed=MappingProxyType({name: quota for name, quota in guaranteed.items() if quota.nodes}),
        weight=(here and here.weight) or 1,
    )


def _share(quota: Quota, pool: Pool, source: Source) -> tuple[PoolQuota, PoolQuota]:
    """What the team shares with the cohort, and what it keeps; in nodes."""
    unit = Fraction(1) if quota.nodes is not None else Fraction(1, pool.gpus_per_node)
    amount = (quota.nodes if quota.nodes is not None else quota.gpus) or 0
    kept = quota.guaranteed or 0
    own = PoolQuota(
        pool=pool,
        nodes=(amount - kept) * unit,
        borrow_nodes=None if quota.borrow is None else quota.borrow * unit,
        lend_nodes=None if quota.lend is None else quota.lend * unit,
        source=source,
    )
    return own, PoolQuota(pool, kept * unit, Fraction(0), Fraction(0), source)


def _problems(quota: Quota, pool: Pool, cluster: Cluster) -> Iterator[Problem]:
    if quota.nodes is None and quota.gpus is None:
        yield Problem(
            Code.MISSING_CHOICE,
            "nodes",
            "a quota says neither nodes nor gpus",
            "write {nodes: 4} or {gpus: 16}",
        )
    if quota.nodes is not None and quota.gpus is not None:
        yield Problem(
            Code.CONFLICTING_CHOICE,
            "gpus",
            "a quota says nodes and gpus",
            "keep one of them: the other follows from it",
        )
    if quota.gpus is not None and not pool.gpus_per_node:
        yield Problem(
            Code.CONFLICTING_CHOICE,
            "gpus",
            "this pool's machines have no GPUs",
            "write the quota in nodes",
        )
    yield from _problems_of_sharing(quota, cluster)


def _problems_of_sharing(quota: Quota, cluster: Cluster) -> Iterator[Problem]:
    amount = (quota.nodes if quota.nodes is not None else quota.gpus) or 0
    kept = quota.guaranteed or 0
    has_cohort = bool(cluster.cohort and cluster.has_kueue)
    if quota.lend is not None and not has_cohort:
        yield Problem(
            Code.MISSING_CHOICE,
            "lend",
            "lending needs Kueue and a cohort",
            "write cohort: <name> in the cluster",
        )
    if quota.borrow is not None and not (has_cohort or cluster.has_volcano_queues):
        yield Problem(
            Code.MISSING_CHOICE,
            "borrow",
            "borrowing needs Kueue and a cohort, or Volcano",
            "write cohort: <name> in the cluster",
        )
    if kept and not (cluster.has_kueue or cluster.has_volcano_queues):
        yield Problem(
            Code.MISSING_OPERATOR,
            "guaranteed",
            f'nothing on "{cluster.name}" takes nodes back, so nothing has to be guaranteed',
            "leave guaranteed out; it needs Kueue or Volcano",
        )
    if kept > amount:
        yield Problem(
            Code.INVERTED_RANGE,
            "guaranteed",
            f"{kept} are guaranteed, but only {amount} are the team's own",
            f"write at most guaranteed: {amount}",
        )
    if quota.lend is not None and quota.lend > amount - kept:
        what = f"but only {amount} are the team's own" + (f", and {kept} of them guaranteed" if kept else "")
        yield Problem(
            Code.INVERTED_RANGE,
            "lend",
            f"{quota.lend} are lent, {what}",
            f"write at most lend: {max(0, amount - kept)}",
        )


def _check_weight(
    file: SpecFile[TeamSpec], cluster: Cluster, here: TeamCluster | None
) -> Iterator[Diagnostic]:
    """A weight means something where something shares by weights, and the team has a queue."""
    if here is None or here.weight is None:
        return
    source = file.tree.value_source(("clusters", cluster.name, "weight"))
    if not here.quota:
        yield error(
            Code.MISSING_CHOICE,
            source,
            "a team without a quota has no queue whose weight could count",
            "write quota: {<pool>: <nodes>} beside it",
        )
    elif not (cluster.has_kueue and cluster.sharing.fair):
        yield error(
            Code.MISSING_CHOICE,
            source,
            f'nothing on "{cluster.name}" shares by weight',
            f"write kueue: {{fairSharing: true}} and a cohort in {cluster.source.path}",
        )


def check_promises(teams: Iterable[TeamOnCluster]) -> Iterator[Diagnostic]:
    """Whether the teams of a cluster are promised more of a pool than it has."""
    promised: dict[tuple[str, str], list[PoolQuota]] = {}
    for team in teams:
        for quota in (*team.quotas.values(), *team.guaranteed.values()):
            promised.setdefault((team.cluster.name, quota.pool.name), []).append(quota)
    for (cluster, pool), quotas in promised.items():
        total = sum((quota.nodes for quota in quotas), Fraction(0))
        has = quotas[0].pool.nodes
        if total > has:
            last = max(quotas, key=lambda quota: (str(quota.source.path), quota.source.line))
            yield error(
                Code.POOL_OVERCOMMITTED,
                last.source,
                f'teams are promised {float(total):g} nodes of pool "{pool}" of {cluster}, which has {has}',
                "lower a quota and let the team borrow, or raise the pool's nodes",
                related=[Related(quotas[0].pool.source, "the pool is described here")],
            )
