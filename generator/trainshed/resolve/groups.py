"""How many pods a job has, what each asks for, and where they may go."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from trainshed.model.backend import ANY, Backend
from trainshed.model.codes import Code
from trainshed.model.pods import PodGroup
from trainshed.model.spec.size import Nodes, Role
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.backend import Shape
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import resolve_env
from trainshed.resolve.gpus import check_extra, read_wish
from trainshed.resolve.image import fetched_image
from trainshed.resolve.pools import (
    AMD64,
    DEFAULT_CAPACITY,
    choose_pools,
    of_architecture,
    select_nodes,
    take_pool,
    tolerate,
)
from trainshed.resolve.sizing import check_size, cpu_share, memory_share, resolve_limits, size_disk, size_shm

_Wish = TypeVar("_Wish")


def resolve_nodes(draft: Draft, nodes: Nodes | None, field: tuple[str, ...]) -> tuple[int, int]:
    """The fewest and most pods."""
    if nodes is None or (nodes.min is None and nodes.max is None):
        return 1, 1
    least = nodes.min if nodes.min is not None else 1
    most = nodes.max if nodes.max is not None else least
    if least > most:
        draft.refuse(
            Code.INVERTED_RANGE,
            (*field, "nodes", "min"),
            f"at least {least} and at most {most} nodes",
            "swap them",
        )
        return most, most
    return least, most


def shape_of(draft: Draft) -> Shape:
    """How large the job is by its own words, whatever kind carries it."""
    roles = _written(draft)
    ranges = _ranges(draft, roles)
    least, most = next((found for found in ranges if found[0] != found[1]), ranges[0])
    return Shape(least, most, tuple(roles), draft.file.spec.schedule is not None)


def resolve_groups(draft: Draft, backend: Backend, queued: bool) -> tuple[PodGroup, ...]:
    """The job's pods: one group, or one for each of its roles."""
    known = backend.carrier.roles
    roles = _written(draft) if known.known else {}
    for name, role in roles.items():
        _check_role(draft, backend, name, role)
    if not roles and not known.beside:
        return (_resolve_group(draft, backend, known.rest, Role(), (), queued),)
    if known.needed and known.first not in roles and not _is_elastic(draft, roles):
        draft.refuse(
            Code.MISSING_CHOICE,
            ("roles",),
            f"{backend.noun} with roles has one {known.first}, and none is written",
            f"write roles: {{{known.first}: {{}}, …}}, or nodes alone",
        )
    if roles and known.ending and not roles.keys() & {*known.ending}:
        draft.refuse(
            Code.MISSING_CHOICE,
            ("roles",),
            f"{backend.noun} ends with its {' or its '.join(known.ending)}, and none is written: it would never end",
            f"write roles: {{{known.ending[-1]}: {{}}, …}}",
        )
    parts = dict(roles)
    if known.beside:
        others = {name: role for name, role in roles.items() if name != known.beside}
        if not others and (known.beside not in roles or draft.body.nodes or draft.body.gpus):
            others = {known.rest: Role()}
        parts = {known.beside: roles.get(known.beside, Role()), **others}
    return tuple(
        _resolve_group(draft, backend, name, role, ("roles", name), queued) for name, role in parts.items()
    )


def _is_elastic(draft: Draft, roles: Mapping[str, Role]) -> bool:
    return any(least != most for least, most in _ranges(draft, roles))


def _ranges(draft: Draft, roles: Mapping[str, Role]) -> list[tuple[int, int]]:
    written = [draft.body.nodes, *(role.nodes for role in roles.values())]
    return [_range(nodes) for nodes in written if nodes is not None] or [(1, 1)]


def _written(draft: Draft) -> dict[str, Role]:
    return {name: role for name, role in (draft.body.roles or {}).items() if role is not None}


def _range(nodes: Nodes) -> tuple[int, int]:
    least = nodes.min if nodes.min is not None else 1
    return least, max(nodes.max if nodes.max is not None else least, least)


def _check_role(draft: Draft, backend: Backend, name: str, role: Role) -> None:
    """A role that the kind does not have, or has once."""
    known = backend.carrier.roles
    if ANY not in known.known and name not in known.known:
        draft.refuse(
            Code.UNKNOWN_VALUE,
            ("roles", name),
            f'{backend.noun} has no role "{name}"',
            did_you_mean(name, known.known) or f"it has {', '.join(known.known)}",
        )
    if name in known.single and role.nodes is not None and (role.nodes.min, role.nodes.max) != (1, 1):
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("roles", name, "nodes"),
            f"{backend.noun} has one {name}",
            "leave nodes out here",
        )


def _resolve_group(
    draft: Draft, backend: Backend, name: str, role: Role, field: tuple[str, ...], queued: bool
) -> PodGroup:
    """One group. It takes what its role leaves open from the job, but for a part beside the nodes, which is small."""
    known = backend.carrier.roles
    beside = name == known.beside
    body = Role() if beside else draft.body
    nodes, at = _pick(role.nodes, body.nodes, field)
    least, most = (1, 1) if name in known.single else resolve_nodes(draft, nodes, at)
    gpus, gpus_at = _pick(role.gpus, body.gpus, field)
    wish = read_wish(draft, gpus, gpus_at)
    capacities = DEFAULT_CAPACITY if beside else draft.body.capacity or DEFAULT_CAPACITY
    pool, pool_at = _pick(role.pool, body.pool, field)
    pools = (
        take_pool(draft, pool, wish, (*pool_at, "pool"))
        if pool is not None
        else choose_pools(draft, wish, capacities, gpus_at)
    )
    extra, extra_at = _pick(role.resources, body.resources, field)
    wanted = {name: count for name, count in (extra or {}).items() if count}
    pools = check_extra(draft, of_architecture(draft, pools), wanted, (*extra_at, "resources"))
    cpu, cpu_at = _pick(role.cpu, body.cpu, field)
    memory, memory_at = _pick(role.memory, body.memory, field)
    limits, limits_at = _pick(role.limits, body.limits, field)
    requests = {
        "cpu": cpu or cpu_share(pools, wish.count),
        "memory": memory or memory_share(pools, wish.count),
        **{name: str(count) for name, count in wanted.items()},
        **size_disk(draft),
    }
    fitting = check_size(draft, pools, requests, (*cpu_at, "cpu"), (*memory_at, "memory"))
    resource = next((pool.gpus.resource for pool in fitting if pool.gpus), "") if wish.count else ""
    if resource:
        requests[resource] = str(wish.count)
    arch = fitting[0].machine.arch if fitting else ""
    return PodGroup(
        name=name,
        min_pods=least,
        max_pods=most,
        gpus=wish.count,
        gpu_resource=resource,
        image=fetched_image(draft, role.image, (*field, "image")) if role.image else "",
        command=(),
        args=(),
        requests=MappingProxyType(requests),
        limits=resolve_limits(draft, limits, requests, (*limits_at, "limits")),
        shm=size_shm(draft, requests["memory"], _wants_shm(draft, wish.count)),
        env=resolve_env(draft, backend, role.env, (*field, "env")) if field else (),
        node_terms=select_nodes(draft.cluster, fitting),
        arch=arch if draft.body.platform or arch != AMD64 else "",
        fabric=None,
        network_env=MappingProxyType({}),
        tolerations=() if queued else tolerate(fitting, {}),
        pools=fitting,
        field=field,
    )


def _wants_shm(draft: Draft, gpus: int) -> bool:
    """Data loaders pass tensors through shared memory, NCCL and MPI what goes to other processes of the node.

    KubeRay mounts its own, as large as the memory.
    """
    framework = draft.body.framework or "generic"
    return framework in ("pytorch", "mpi", "horovod") or (framework != "ray" and gpus > 0)


def _pick(
    role: _Wish | None, job: _Wish | None, field: tuple[str, ...]
) -> tuple[_Wish | None, tuple[str, ...]]:
    """What the role says, else what the job says, and in which of the two places."""
    return (role, field) if role is not None or job is None else (job, ())
