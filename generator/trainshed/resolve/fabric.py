"""The fast network between nodes: used where pods have whole nodes and may have its devices."""

from dataclasses import replace
from types import MappingProxyType

from trainshed import catalog
from trainshed.model.catalog import Fabric, PodSecurity
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.plan import PodGroup
from trainshed.resolve.draft import Draft


def check_alike(draft: Draft, group: PodGroup) -> None:
    """Pods that train one model together want one accelerator; a queue may give each group of pods another."""
    types = sorted({pool.gpu_type for pool in group.pools if pool.gpu_type})
    if group.gpus and group.max_pods > 1 and len(types) > 1:
        draft.refuse(
            Code.MISSING_CHOICE,
            (*group.field, "gpus"),
            f"{group.max_pods} pods could get different accelerators ({', '.join(types)})",
            f"write gpus: {{type: {types[0]}, perNode: {group.gpus}}}",
        )


def with_fabric(draft: Draft, group: PodGroup, approved: bool) -> PodGroup:
    """The group with the fabric that its pods use, and requests for its devices."""
    fabric, devices = _find_fabric(draft, group, approved)
    if fabric is None:
        return group
    resource = {fabric.resource: str(devices)} if fabric.resource else {}
    requests = MappingProxyType({**group.requests, **fabric.extra_resources, **resource})
    return replace(group, fabric=fabric, requests=requests)


def _find_fabric(draft: Draft, group: PodGroup, approved: bool) -> tuple[Fabric | None, int]:
    """The fabric, and its devices on each node; none for one node."""
    written = draft.body.fabric or "auto"
    machine_fabric = next((pool.machine.fabric for pool in group.pools if pool.machine.fabric), None)
    if written not in ("auto", "none") and (machine_fabric is None or machine_fabric.name != written):
        draft.refuse(
            Code.UNKNOWN_FABRIC,
            ("fabric",),
            f"the machines of {', '.join(pool.name for pool in group.pools) or 'the cluster'}"
            f' have no fabric "{written}"',
            f"write fabric: {machine_fabric.name if machine_fabric else 'none'}, or leave it out",
        )
        return None, 0
    if written not in ("auto", "none") and group.max_pods == 1:
        draft.refuse(
            Code.FABRIC_UNUSED,
            ("fabric",),
            f"fabric {written} links nodes, this job has one",
            "leave the fabric out, or ask for several nodes",
        )
    if written == "none" or machine_fabric is None or group.max_pods == 1:
        return None, 0
    fabric = catalog.fabrics()[machine_fabric.name]
    whole_node = all(group.gpus == pool.gpus_per_node for pool in group.pools)
    admitted = approved or fabric.pod_security is PodSecurity.RESTRICTED
    if fabric.carried and whole_node and admitted:
        return fabric, machine_fabric.devices
    why = (
        fabric.reason
        if not fabric.carried
        else "only a pod that has all GPUs of its node gets its devices"
        if not whole_node
        else "its pods need more than Pod Security restricted allows: write security: {level: privileged, why: …}"
    )
    draft.refuse(
        Code.FABRIC_UNUSED,
        ("fabric",) if draft.sources.has("fabric") else _nodes_field(draft, group),
        f"{fabric.title} is not used: NCCL falls back to TCP between nodes",
        f"{why}; to go without, write fabric: none",
        severity=Severity.WARNING if written == "auto" else Severity.ERROR,
    )
    return None, 0


def _nodes_field(draft: Draft, group: PodGroup) -> tuple[str, ...]:
    """Where the number of the group's pods is written."""
    return (*group.field, "nodes") if draft.sources.has(*group.field, "nodes") else ("nodes",)
