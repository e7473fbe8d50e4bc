"""The fast network between nodes: used where pods have whole nodes and may have its devices."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from trainshed.model.backend import Roles
from trainshed.model.catalog import Fabric, PodSecurity
from trainshed.model.charges import SIDECAR_REQUESTS
from trainshed.model.cluster import NodeFabric, Pool
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.pods import Mount, PodGroup
from trainshed.model.spec.fabric import Fabric as FabricWish
from trainshed.resolve.draft import Draft
from trainshed.resolve.node_fabric import fits_networks, join_networks, num_networks
from trainshed.resolve.room import make_room

GUARD = "NCCL_NET"
"""NCCL takes the network of that name or fails; without it, it takes whatever works, plain sockets last."""

INTERFACE = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")

FABRIC_WORDS = ("devices", "networks", "verify")
"""What a job says about a fabric besides its name."""


def with_fabrics(
    draft: Draft, groups: tuple[PodGroup, ...], roles: Roles, approved: bool
) -> tuple[PodGroup, ...]:
    """The groups with the fabric that their pods use, and requests for its devices; findings where they cannot.

    A part beside the nodes uses none. Where it starts the program, its variables are those that the nodes get.
    """
    nodes = [group for group in groups if group.name != roles.beside]
    training = [group for group in nodes if group.gpus] or nodes
    pods = sum(group.max_pods for group in training)
    said = len(draft.findings)
    found = {
        group.name: _use(draft, group, fabric)
        for group in training
        if (fabric := _find_fabric(draft, group, pods, approved))
    }
    if not found and len(draft.findings) == said:
        _refuse_idle(draft)
    env = {group.name: _network_env(draft, found.get(group.name, group)) for group in nodes}
    if roles.start == "beside" and nodes:
        env[roles.beside] = env[nodes[-1].name]
    return tuple(
        replace(found.get(group.name, group), network_env=MappingProxyType(env.get(group.name, {})))
        for group in groups
    )


def _find_fabric(draft: Draft, group: PodGroup, pods: int, approved: bool) -> NodeFabric | None:
    """The fabric and the devices of each pod; none for one node."""
    wish = draft.body.fabric or FabricWish()
    written = wish.name or "auto"
    having = [pool for pool in group.pools if pool.fabric]
    names = list(dict.fromkeys(pool.fabric.fabric.name for pool in having if pool.fabric))
    if written not in ("auto", "none", *names):
        draft.refuse(
            Code.UNKNOWN_FABRIC,
            ("fabric", "name"),
            f"the machines of {', '.join(pool.name for pool in group.pools) or 'the cluster'}"
            f' have no fabric "{written}"',
            f"write fabric: {names[0] if names else 'none'}, or leave it out",
        )
        return None
    if written not in ("auto", "none") and pods == 1:
        draft.refuse(
            Code.FABRIC_UNUSED,
            ("fabric", "name"),
            f"fabric {written} links nodes, this job has one",
            "leave the fabric out, or ask for several nodes",
        )
    if written == "none" or not having or pods == 1:
        return None
    node = next(
        pool.fabric for pool in having if pool.fabric and written in ("auto", pool.fabric.fabric.name)
    )
    why = _obstacle(group, having, names, node, wish, approved)
    if not why:
        return NodeFabric(node.fabric, _count_devices(draft, having, node, wish))
    draft.refuse(
        Code.FABRIC_UNUSED,
        ("fabric", "name") if draft.sources.has("fabric", "name") else _nodes_field(draft, group),
        f"{node.fabric.title} is not used: NCCL falls back to TCP between nodes",
        f"{why}; to go without, write fabric: none",
        severity=Severity.WARNING if written == "auto" else Severity.ERROR,
    )
    return None


def _obstacle(
    group: PodGroup,
    having: list[Pool],
    names: list[str],
    node: NodeFabric,
    wish: FabricWish,
    approved: bool,
) -> str:
    """Why the pods cannot use their machines' fabric; nothing where they can."""
    if not node.fabric.carried:
        return node.fabric.reason
    if len(names) > 1 or len(having) < len(group.pools):
        pools = ", ".join(pool.name for pool in group.pools)
        return f"the machines of {pools} have not one fabric in common: write pool: {having[0].name}"
    counted = wish.devices is not None and node.fabric.resource
    whole = all(pool.gpus is None or pool.gpus.is_whole for pool in group.pools)
    if not whole or not (counted or all(group.gpus == pool.gpus_per_node for pool in group.pools)):
        return "only a pod that has all GPUs of its node gets its devices" + (
            ", or one that says how many: write fabric: {devices: …}"
            if whole and node.fabric.resource
            else ""
        )
    if not approved and node.fabric.pod_security is not PodSecurity.RESTRICTED:
        return "its pods need more than Pod Security restricted allows: write security: {level: privileged, why: …}"
    return ""


def _count_devices(draft: Draft, having: list[Pool], node: NodeFabric, wish: FabricWish) -> int:
    most = min(pool.fabric.devices for pool in having if pool.fabric)
    if wish.devices is None:
        return most
    if not node.fabric.resource:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("fabric", "devices"),
            f"no device plugin hands out devices of {node.fabric.title}",
            "leave devices out: each pod has all of its node's",
        )
    elif wish.devices > most:
        draft.refuse(
            Code.TOO_LARGE_FOR_NODE,
            ("fabric", "devices"),
            f"{wish.devices} {node.fabric.resource} are more than a node of {having[0].name} has ({most})",
            f"write at most {most}, or leave devices out",
        )
    return wish.devices


def _use(draft: Draft, group: PodGroup, node: NodeFabric) -> PodGroup:
    """The group with requests for the fabric's devices, and room for its sidecar."""
    fabric, wish = node.fabric, draft.body.fabric or FabricWish()
    if wish.networks and not fits_networks(fabric, wish.networks):
        draft.refuse(
            Code.BAD_VALUE,
            ("fabric", "networks"),
            f"pods join {num_networks(fabric)} networks of {fabric.title}, {len(wish.networks)} are named",
            "name one for each interface, in their order",
        )
    fabric = join_networks(fabric, wish.networks or ())
    devices = {fabric.resource: str(node.devices)} if fabric.resource else {}
    requests = {**group.requests, **fabric.extra_resources, **devices}
    if fabric.sidecar is not None:
        requests |= make_room(draft, group, SIDECAR_REQUESTS, "the fabric's containers")
    return replace(group, fabric=fabric, requests=MappingProxyType(requests))


def _refuse_idle(draft: Draft) -> None:
    """Words about a fabric that no pod uses."""
    for word in FABRIC_WORDS:
        if getattr(draft.body.fabric, word, None):
            draft.refuse(
                Code.FABRIC_UNUSED,
                ("fabric", word),
                f"{word} means nothing here: no pod of the job uses a fabric",
                f"leave {word} out",
                severity=Severity.WARNING,
            )


def _network_env(draft: Draft, group: PodGroup) -> dict[str, str]:
    """The variables that choose the network. No interface is named unless the spec does."""
    wish = draft.body.fabric or FabricWish()
    env: dict[str, str] = {}
    if group.fabric is not None:
        guard = group.fabric.guard if wish.verify != "off" else ""
        env = {**group.fabric.env, **({GUARD: guard} if guard else {})}
    if wish.interface:
        env |= dict.fromkeys(INTERFACE, wish.interface)
    return env


def check_overrides(draft: Draft, groups: Iterable[PodGroup], mounts: Iterable[Mount]) -> None:
    """Findings where the job's own variables, annotations and mounts stand in the fabric's place."""
    known, mounted = tuple(groups), tuple(mounts)
    for path in dict.fromkeys(path for group in known for path in _overridden(draft, group)):
        draft.refuse(
            Code.RESERVED_ENV,
            path,
            f"{path[-1]} replaces what the job's fabric sets there",
            "leave it out unless it is meant: the job's own words win",
            severity=Severity.WARNING,
        )
    for fabric in {group.fabric.name: group.fabric for group in known if group.fabric}.values():
        _check_taken(draft, fabric, mounted)


def _overridden(draft: Draft, group: PodGroup) -> Iterator[tuple[str, ...]]:
    role = (draft.body.roles or {}).get(group.name) if group.field else None
    layers: tuple[tuple[tuple[str, ...], Mapping[str, object] | None], ...] = (
        (("env",), draft.body.env),
        ((*group.field, "env"), role.env if role else None),
    )
    for at, env in layers:
        yield from ((*at, name) for name, value in (env or {}).items() if value and name in group.network_env)


def _check_taken(draft: Draft, fabric: Fabric, mounts: tuple[Mount, ...]) -> None:
    for key in sorted({*fabric.annotations} & {*(draft.body.annotations or {})}):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("annotations", key),
            f"{fabric.title} sets {key} itself",
            "leave it out; write fabric: {networks: […]} to name other networks",
        )
    places = {path.mount_path for path in fabric.host_paths.values() if path.mount_path}
    for mount in mounts:
        if mount.mount_path in places:
            field = (*mount.field, "mountPath") if mount.field[0] == "data" else mount.field
            draft.refuse(
                Code.MOUNT_TAKEN,
                field,
                f"{mount.mount_path} is where the libraries of {fabric.title} are mounted",
                "mount it somewhere else",
            )


def _nodes_field(draft: Draft, group: PodGroup) -> tuple[str, ...]:
    """Where the number of the group's pods is written."""
    return (*group.field, "nodes") if draft.sources.has(*group.field, "nodes") else ("nodes",)
