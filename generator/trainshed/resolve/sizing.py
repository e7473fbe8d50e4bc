"""How large a pod is: its share of a node unless the spec says more, and what is kept in its memory."""

from fractions import Fraction

from trainshed.model.cluster import Pool
from trainshed.model.codes import Code
from trainshed.model.quantity import describe_amount, format_binary, parse_quantity
from trainshed.resolve.draft import Draft

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


def _check_memory_disks(draft: Draft, memory: str, shm: str) -> None:
    """Whether what is kept in memory leaves any of it to the program."""
    scratch = draft.body.scratch
    in_memory = scratch.size if scratch is not None and scratch.medium == "memory" else None
    parts = [parse_quantity(part) for part in (shm, in_memory) if part]
    if parts and sum(parts) >= parse_quantity(memory):
        field = ("shm",) if draft.sources.has("shm") else ("scratch",) if in_memory else ("memory",)
        what = (
            "shared memory and scratch space"
            if shm and in_memory
            else "scratch space"
            if in_memory
            else "shared memory"
        )
        draft.refuse(
            Code.SHM_TOO_LARGE,
            field,
            f"{format_binary(sum(parts))} of {what} do not fit into {memory} of memory",
            "its pages count as memory: raise memory, or ask for less",
        )
