"""How many pods a job has, what each asks for, and where they may go."""

from types import MappingProxyType
from typing import TypeVar

from trainshed.model.codes import Code
from trainshed.model.plan import Backend, PodGroup
from trainshed.model.spec.size import Nodes, Role
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import resolve_env
from trainshed.resolve.image import check_image
from trainshed.resolve.pools import choose_pools, select_nodes, take_pool, tolerate
from trainshed.resolve.sizing import check_size, cpu_share, memory_share, size_shm

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


def resolve_groups(draft: Draft, backend: Backend, queued: bool) -> tuple[PodGroup, ...]:
    """The job's pods: one group, or the head and the worker groups of a Ray cluster."""
    body = draft.body
    if backend is not Backend.RAYJOB:
        return (_resolve_group(draft, backend, "node", Role(), (), queued),)
    roles = {name: role for name, role in (body.roles or {}).items() if role is not None}
    head = roles.get("head", Role())
    if head.nodes is not None and (head.nodes.min, head.nodes.max) != (1, 1):
        draft.refuse(
            Code.BACKEND_CANNOT,
            ("roles", "head", "nodes"),
            "a Ray cluster has one head",
            "leave nodes out here",
        )
    workers = {name: role for name, role in roles.items() if name != "head"}
    if not workers and ("head" not in roles or body.nodes or body.gpus):
        workers = {"worker": Role()}
    return (
        _resolve_group(draft, backend, "head", head, ("roles", "head"), queued),
        *(
            _resolve_group(draft, backend, name, role, ("roles", name), queued)
            for name, role in workers.items()
        ),
    )


def _resolve_group(
    draft: Draft, backend: Backend, name: str, role: Role, field: tuple[str, ...], queued: bool
) -> PodGroup:
    """One group. Workers of a Ray cluster take what their role leaves open from the job; the head does not."""
    body = Role() if name == "head" else draft.body
    nodes, at = _pick(role.nodes, body.nodes, field)
    least, most = (1, 1) if name == "head" else resolve_nodes(draft, nodes, at)
    gpus, gpus_at = _pick(role.gpus, body.gpus, field)
    count = (gpus.per_node if gpus else None) or 0
    gpu_type = (gpus.type if gpus else None) or ""
    capacity = "on-demand" if name == "head" else draft.body.capacity or "on-demand"
    pool, pool_at = _pick(role.pool, body.pool, field)
    if role.image is not None:
        check_image(draft, role.image, (*field, "image"))
    pools = (
        take_pool(draft, pool, count, gpu_type, (*pool_at, "pool"))
        if pool is not None
        else choose_pools(draft, count, gpu_type if count else "", capacity, gpus_at)
    )
    if gpu_type and not count and gpus is not None and gpus.per_node is None:
        draft.refuse(
            Code.MISSING_CHOICE,
            (*gpus_at, "gpus", "type"),
            f"how many {gpu_type} is not said",
            "write perNode: 8",
        )
    cpu, cpu_at = _pick(role.cpu, body.cpu, field)
    memory, memory_at = _pick(role.memory, body.memory, field)
    requests = {
        "cpu": cpu or cpu_share(pools, count),
        "memory": memory or memory_share(pools, count),
    }
    fitting = check_size(draft, pools, requests, (*cpu_at, "cpu"), (*memory_at, "memory"))
    resource = next((pool.machine.accelerator.resource for pool in fitting if pool.machine.accelerator), "")
    if count and resource:
        requests[resource] = str(count)
    return PodGroup(
        name=name,
        min_pods=least,
        max_pods=most,
        gpus=count,
        gpu_resource=resource if count else "",
        image=role.image or "",
        requests=MappingProxyType(requests),
        shm=size_shm(draft, requests["memory"], _wants_shm(draft, count)),
        env=resolve_env(draft, backend, role.env, (*field, "env")) if field else (),
        node_terms=select_nodes(draft.cluster, fitting),
        fabric=None,
        tolerations=() if queued else tolerate(fitting, {}),
        pools=fitting,
        field=field,
    )


def _wants_shm(draft: Draft, gpus: int) -> bool:
    """Data loaders pass tensors through shared memory. KubeRay mounts its own, as large as the memory."""
    framework = draft.body.framework or "generic"
    return framework == "pytorch" or (framework == "generic" and gpus > 0)


def _pick(
    role: _Wish | None, job: _Wish | None, field: tuple[str, ...]
) -> tuple[_Wish | None, tuple[str, ...]]:
    """What the role says, else what the job says, and in which of the two places."""
    return (role, field) if role is not None or job is None else (job, ())
