"""Which pools a group of pods may run on, and how its pods say so."""

from collections.abc import Iterable, Mapping

from trainshed.model.catalog import Taint
from trainshed.model.cluster import Cluster, Pool
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft
from trainshed.resolve.gpus import GpuWish, offer
from trainshed.resolve.queueing import wanted_queue

AMD64 = "amd64"
"""What images are built for unless somebody says otherwise."""

DEFAULT_CAPACITY = ("on-demand",)
"""What a job runs on unless it says otherwise."""


def choose_pools(
    draft: Draft, wish: GpuWish, capacities: tuple[str, ...], field: tuple[str, ...]
) -> tuple[Pool, ...]:
    """The pools that have the accelerator, enough of it, and a capacity asked for, in the order of the capacities."""
    cluster = draft.cluster
    if wish.is_any:
        return _with_capacity(draft, _pools_without_gpus(draft), capacities, "machine")
    types = {pool.gpu_type for pool in cluster.pools.values() if pool.gpu_type}
    if wish.type and wish.type not in types:
        draft.refuse(
            Code.UNKNOWN_ACCELERATOR,
            (*field, "gpus", "type"),
            f'cluster "{cluster.name}" has no {wish.type}',
            did_you_mean(wish.type, types) or "it has no GPUs",
        )
        return ()
    fitting = [pool for pool in cluster.pools.values() if wish.suits(pool)]
    if not fitting:
        word = "resource" if wish.resource else "mig" if wish.mig else "shared" if wish.shared else ""
        draft.refuse(
            Code.NO_POOL,
            (*field, "gpus", word) if word else (*field, "gpus"),
            f'cluster "{cluster.name}" has no {wish if types else "GPUs"}',
            f"it has {offer(cluster.pools.values())}" if types else "run on another cluster",
        )
        return ()
    most = max(pool.gpus_per_node for pool in fitting)
    if wish.count > most:
        machine = next(pool.machine.name for pool in fitting if pool.gpus_per_node == most)
        draft.refuse(
            Code.TOO_MANY_GPUS,
            (*field, "gpus", "perNode"),
            f"{wish.count} {wish if wish.mig else 'GPUs'} on one node are more than {machine} has ({most})",
            f"write at most {most}, and more nodes",
        )
        return ()
    return _with_capacity(
        draft, [pool for pool in fitting if pool.gpus_per_node >= wish.count], capacities, str(wish)
    )


def take_pool(draft: Draft, name: str, wish: GpuWish, field: tuple[str, ...]) -> tuple[Pool, ...]:
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
    if wish.count > pool.gpus_per_node or (wish.count and not wish.suits(pool)):
        has = f"{pool.gpus_per_node} {pool.gpus}" if pool.gpus else "no GPUs"
        draft.refuse(
            Code.NO_POOL,
            field,
            f'a node of pool "{name}" has {has}, {wish.count} {wish} are asked for',
            "name another pool, or leave it out: gpus and capacity choose one",
        )
        return ()
    capacities = draft.body.capacity or (pool.capacity,)
    if pool.capacity not in capacities:
        draft.refuse(
            Code.NO_POOL,
            ("capacity", 0),
            f'pool "{name}" is {pool.capacity}, not {" or ".join(capacities)}',
            "leave the capacity out: the pool has one",
        )
    return (pool,)


def of_architecture(draft: Draft, pools: tuple[Pool, ...]) -> tuple[Pool, ...]:
    """The pools whose machines can run the image: of the platform that the job names, else amd64 where there is one."""
    architectures = sorted({pool.machine.arch for pool in pools})
    wanted = draft.body.platform or next(iter(architectures), AMD64)
    chosen = tuple(pool for pool in pools if pool.machine.arch == wanted)
    if pools and not chosen:
        draft.refuse(
            Code.NO_POOL,
            ("platform",),
            f"the machines of {', '.join(pool.name for pool in pools)} are not {wanted}",
            f"write platform: {architectures[0]}, and an image that is built for it",
        )
        return pools
    if wanted != AMD64 and draft.body.platform is None:
        draft.refuse(
            Code.MISSING_CHOICE,
            ("image",),
            f"the pods run on {wanted} only, and the job does not say that its image is built for it",
            f"write platform: {wanted}",
            severity=Severity.WARNING,
        )
    return chosen


def _pools_without_gpus(draft: Draft) -> list[Pool]:
    """Where pods without GPUs go: to plain machines, unless the queue or the cluster has none."""
    pools = list(draft.cluster.pools.values())
    plain = [pool for pool in pools if not pool.gpus_per_node]
    return _in_quota(draft, plain) or _in_quota(draft, pools) or plain or pools


def _in_quota(draft: Draft, pools: list[Pool]) -> list[Pool]:
    """Those of the pools that the job's queue may use, or the team's if it waits in none."""
    quotas = draft.team.queues.get(wanted_queue(draft) or draft.team.queue, {})
    return [pool for pool in pools if pool.name in quotas]


def _with_capacity(
    draft: Draft, pools: list[Pool], capacities: tuple[str, ...], what: str
) -> tuple[Pool, ...]:
    """The pools of those capacities: those of the team's queue, or all where it has no part in any."""
    chosen = [pool for pool in pools if pool.capacity in capacities]
    if not chosen:
        offers = sorted({pool.capacity for pool in pools})
        draft.refuse(
            Code.NO_POOL,
            ("capacity", 0),
            f'cluster "{draft.cluster.name}" has no {" or ".join(capacities)} pool with such a {what}',
            f"write capacity: {offers[0]}" if offers else f"add a pool to {draft.cluster.source.path}",
        )
    usable = _in_quota(draft, chosen) or chosen
    return tuple(sorted(usable, key=lambda pool: capacities.index(pool.capacity)))


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
