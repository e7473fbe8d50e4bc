"""How large a pod is: its share of a node unless the spec says more, and what is kept in its memory."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from trainshed.model.cluster import Pool
from trainshed.model.codes import Code
from trainshed.model.pods import PodGroup
from trainshed.model.quantity import describe_amount, format_binary, parse_quantity
from trainshed.model.spec.size import Limits
from trainshed.resolve.draft import Draft
from trainshed.resolve.local_space import FIELDS, kept_locally

PLAIN_CPU = "1"
PLAIN_MEMORY = "2Gi"
"""What a pod without GPUs asks for unless the spec says more."""

SHM_PART = Fraction(1, 4)
"""The part of the memory that /dev/shm may fill when nobody says: its pages count against the memory limit."""

_MIB = 2**20
_GIB = 2**30


def cpu_share(pools: tuple[Pool, ...], gpus: int) -> str:
    """The CPUs of a node that belong to its GPUs, in whole CPUs: the least of all the pools."""
    shares = [Fraction(pool.share.cpu_millicores * gpus, 1000 * pool.gpus_per_node) for pool in pools if gpus]
    return str(max(int(min(shares)), 1)) if shares else PLAIN_CPU


def memory_share(pools: tuple[Pool, ...], gpus: int) -> str:
    """The memory of a node that belongs to its GPUs, in whole GiB: the least of all the pools."""
    shares = [Fraction(pool.share.memory_bytes * gpus, pool.gpus_per_node) for pool in pools if gpus]
    return format_binary(max(int(min(shares)) // _GIB, 1) * _GIB) if shares else PLAIN_MEMORY


def check_size(
    draft: Draft,
    pools: tuple[Pool, ...],
    requests: dict[str, str],
    cpu_at: tuple[str, ...],
    memory_at: tuple[str, ...],
) -> tuple[Pool, ...]:
    """The pools whose nodes are large enough; a finding at the wish that none can grant."""
    cpu, memory = parse_quantity(requests["cpu"]) * 1000, parse_quantity(requests["memory"])
    fitting = tuple(
        pool for pool in pools if cpu <= pool.share.cpu_millicores and memory <= pool.share.memory_bytes
    )
    if pools and not fitting:
        most_cpu = max(pool.share.cpu_millicores for pool in pools)
        most_memory = max(pool.share.memory_bytes for pool in pools)
        names = ", ".join(pool.name for pool in pools)
        if cpu > most_cpu:
            ask, most = describe_amount("cpu", cpu / 1000), describe_amount("cpu", Fraction(most_cpu, 1000))
        else:
            ask, most = describe_amount("memory", memory), describe_amount("memory", most_memory)
        draft.refuse(
            Code.TOO_LARGE_FOR_NODE,
            cpu_at if cpu > most_cpu else memory_at,
            f"{ask} are more than a node of {names} can give ({most})",
            "ask for less on each node: the system and the node's daemons keep a part of it",
        )
        return pools
    return fitting


def size_shm(draft: Draft, memory: str, wanted: bool) -> str:
    """The size of /dev/shm, or nothing where the container runtime's own 64 MiB will do."""
    written = draft.body.shm or "auto"
    if written == "none" or (written == "auto" and not wanted):
        shm = ""
    elif written == "auto":
        part = int(parse_quantity(memory) * SHM_PART)
        unit = _GIB if part >= _GIB else _MIB
        shm = format_binary(max(part // unit, 1) * unit)
    else:
        shm = written
    _check_memory_disks(draft, memory, shm)
    return shm


def size_disk(draft: Draft) -> dict[str, str]:
    """The local disk that is set aside, if the job says: room for its scratch space and for what else it writes."""
    written = draft.body.ephemeral_storage
    if written is None:
        return {}
    kept = list(kept_locally(draft, "disk"))
    total = sum(parse_quantity(size) for _, size in kept)
    if total > parse_quantity(written):
        what = " and ".join(dict.fromkeys(what for what, _ in kept))
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("ephemeralStorage",),
            f"{written} of local disk do not hold {format_binary(total)} of {what}",
            f"ask for more, or leave ephemeralStorage out: the {what} is set aside by itself",
        )
    return {"ephemeral-storage": written}


def resolve_limits(
    draft: Draft, written: Limits | None, requests: Mapping[str, str], at: tuple[str, ...]
) -> Mapping[str, str]:
    """Limits above the requests; a finding for one below."""
    if written is None:
        return MappingProxyType({})
    limits = {"cpu": written.cpu, "memory": written.memory}
    for resource, limit in limits.items():
        if limit and parse_quantity(limit) < parse_quantity(requests[resource]):
            draft.refuse(
                Code.INVERTED_RANGE,
                (*at, resource),
                f"a limit of {limit} is less than the {requests[resource]} that each pod asks for",
                f"raise it, or ask for less: {resource}: {limit}",
            )
    return MappingProxyType({resource: limit for resource, limit in limits.items() if limit})


def count_processes(draft: Draft, groups: tuple[PodGroup, ...]) -> int:
    """Processes on each node: as many as its GPUs or CPUs, or the number that the job says."""
    written = draft.body.procs_per_node
    if isinstance(written, int):
        return written
    if written == "cpu":
        return max(1, *(int(parse_quantity(group.requests["cpu"])) for group in groups))
    return max(1, *(group.gpus for group in groups))


def _check_memory_disks(draft: Draft, memory: str, shm: str) -> None:
    """Whether what is kept in memory leaves any of it to the program."""
    in_memory = dict(kept_locally(draft, "memory"))
    parts = [parse_quantity(part) for part in (shm, *in_memory.values()) if part]
    if parts and sum(parts) >= parse_quantity(memory):
        asking = [("shm",)] if draft.sources.has("shm") else []
        asking += [FIELDS[what] for what in in_memory]
        what = " and ".join([*(["shared memory"] if shm else []), *in_memory])
        draft.refuse(
            Code.SHM_TOO_LARGE,
            asking[0] if asking else ("memory",),
            f"{format_binary(sum(parts))} of {what} do not fit into {memory} of memory",
            "its pages count as memory: raise memory, or ask for less",
        )
