"""The network between nodes: what a job says about it, and what a site says over the catalogue's facts."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import (
    EnvName,
    InterfaceName,
    Name,
    NetworkNames,
    Quantity,
    ResourceName,
    Text,
)
from trainshed.model.spec.written import Written

Devices = Annotated[int, Field(ge=1, le=256)]


class Fabric(Written):
    """The fast network between nodes."""

    name: Name | Literal["auto", "none"] | None = None
    """auto takes what the machine has; none, or a fabric by its name: efa, infiniband, roce, tcpxo."""
    devices: Devices | None = None
    """How many of a node's devices each pod gets; all, for pods that have a whole node, unless said otherwise."""
    networks: NetworkNames | None = None
    """Secondary networks that each pod joins, in place of the cluster's."""
    interface: InterfaceName | None = None
    """The interface that processes meet on, for NCCL and Gloo; they find one themselves unless said otherwise."""
    verify: Literal["fail", "off"] | None = None
    """fail (where it is known how): without the fabric NCCL fails, and does not fall back to TCP. off: it may."""


class SiteFabric(Written):
    """What this site calls things that the catalogue can only guess."""

    resource: ResourceName | None = None
    """The resource that its device plugin offers: rdma/hca_shared."""
    devices: Devices | None = None
    """How many each pod asks for, where the device plugin does not count adapters: 1 of a shared one."""
    networks: NetworkNames | None = None
    """The secondary networks that pods join: of Multus, or in their order the Network objects of GKE."""
    hugepages: Quantity | None = None
    """Huge pages of 2Mi that each pod asks for."""
    env: dict[EnvName, Text | None] | None = None
    """Variables over those of the catalogue; null takes one away."""
