"""Which pools a group of pods may run on, and how its pods say so."""

from collections.abc import Iterable, Mapping

from trainshed.model.catalog import Taint
from trainshed.model.cluster import Cluster, Pool
from trainshed.model.codes import Code
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft


def choose_pools(
    draft: Draft, gpus: int, gpu_type: str, capacity: str, field: tuple[str, ...]
) -> tuple[Pool, ...]:
    """The pools that have the accelerator, enough of it, and the capacity asked for."""
    cluster = draft.cluster
    if gpus == 0 and not gpu_type:
        return _with_capacity(draft, _pools_without_gpus(draft), capacity, "machine")
    types = {pool.gpu_type for pool in cluster.pools.values() if pool.gpu_type}
    if gpu_type and gpu_type not in types:
        draft.refuse(
            Code.UNKNOWN_ACCELERATOR,
            (*field, "gpus", "type"),
            f'cluster "{cluster.name}" has no {gpu_type}',
            did_you_mean(gpu_type, types) or "it has no GPUs",
        )
        return ()
    fitting = [pool for pool in cluster.pools.values() if pool.gpu_type and gpu_type in ("", pool.gpu_type)]
    if not fitting:
        draft.refuse(
            Code.NO_POOL, (*field, "gpus"), f'cluster "{cluster.name}" has no GPUs', "run on another cluster"
        )
        return ()
    most = max(pool.gpus_per_node for pool in fitting)
    if gpus > most:
        machine = next(pool.machine.name for pool in fitting if pool.gpus_per_node == most)
        draft.refuse(
            Code.TOO_MANY_GPUS,
            (*field, "gpus", "perNode"),
            f"{gpus} GPUs on one node are more than {machine} has ({most})",
            f"write at most {most}, and more nodes",
        )
        return ()
    return _with_capacity(
        draft, [pool for pool in fitting if pool.gpus_per_node >= gpus], capacity, gpu_type or "GPU"
    )


def take_pool(draft: Draft, name: str, gpus: int, gpu_type: str, field: tuple[str, ...]) -> tuple[Pool, ...]:
    """The one pool that the job names, if it has what the job asks for."""
    pool = draft.cluster.pools.get(name)
    if pool is None:
        draft.refuse(
            Code.UNKNOWN_POOL,
            field,
            f'cluster "{draft.cluster.name}" has no pool "{name}"',
            did_you_mean(name, draft.cluster.pools),
        )
        return ()
    if gpus > pool.gpus_per_node or gpu_type not in ("", pool.gpu_type):
        has = f"{pool.gpus_per_node} {pool.gpu_type}" if pool.gpu_type else "no GPUs"
        draft.refuse(
            Code.NO_POOL,
            field,
            f'a node of pool "{name}" has {has}, {gpus} {gpu_type or "GPUs"} are asked for',
            "name another pool, or leave it out: gpus and capacity choose one",
        )
        return ()
    if draft.body.capacity not in (None, pool.capacity):
        draft.refuse(
            Code.NO_POOL,
            ("capacity",),
            f'pool "{name}" is {pool.capacity}, not {draft.body.capacity}',
            "leave the capacity out: the pool has one",
        )
    return (pool,)


def _pools_without_gpus(draft: Draft) -> list[Pool]:
    """Where pods without GPUs go: to plain machines, unless the queue or the cluster has none."""
    pools = list(draft.cluster.pools.values())
    plain = [pool for pool in pools if not pool.gpus_per_node]
    return _in_quota(draft, plain) or _in_quota(draft, pools) or plain or pools


def _in_quota(draft: Draft, pools: list[Pool]) -> list[Pool]:
    """Those of the pools that the team's queue may use; none where it has no queue."""
    return [pool for pool in pools if draft.team.queue and pool.name in draft.team.quotas]


def _with_capacity(draft: Draft, pools: list[Pool], capacity: str, what: str) -> tuple[Pool, ...]:
    """The pools of that capacity: those of the team's queue, or all where it has no part in any."""
    chosen = [pool for pool in pools if pool.capacity == capacity]
    if not chosen:
        offers = sorted({pool.capacity for pool in pools})
        draft.refuse(
            Code.NO_POOL,
            ("capacity",),
            f'cluster "{draft.cluster.name}" has no {capacity} pool with such a {what}',
            f"write capacity: {offers[0]}" if offers else f"add a pool to {draft.cluster.source.path}",
        )
    return tuple(_in_quota(draft, chosen) or chosen)


def select_nodes(cluster: Cluster, pools: Iterable[Pool]) -> tuple[dict[str, str], ...]:
    """The labels of each of the pools by which its nodes differ from those of the pools that are not meant.

    A queue looks only at labels that its flavor has, so a label counts where both pools have it, and differ.
    """
    chosen = tuple(pools)
    others = [pool for pool in cluster.pools.values() if pool not in chosen]
    terms = [{key: pool.labels[key] for key in sorted(_telling_keys(pool, others))} for pool in chosen]
    return tuple(term for number, term in enumerate(terms) if term and term not in terms[:number])


def _telling_keys(pool: Pool, others: Iterable[Pool]) -> set[str]:
    return {key for other in others for key in telling_apart(pool, other)}


def telling_apart(one: Pool, other: Pool) -> set[str]:
    """The labels that both pools have, with different values."""
    return {key for key, value in one.labels.items() if key in other.labels and other.labels[key] != value}


def tolerate(pools: Iterable[Pool], known: Mapping[str, str]) -> tuple[Taint, ...]:
    """The taints of the pools that a pod must tolerate; `known` are those that somebody else tolerates for it."""
    return tuple(sorted({taint for pool in pools for taint in pool.taints if taint.key not in known}))
