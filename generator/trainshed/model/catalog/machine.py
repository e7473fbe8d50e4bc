"""The catalogue's machines: what one node has, what its kubelet offers, and what tells it apart."""

from collections.abc import Mapping

from msgspec import Struct


class Taint(Struct, frozen=True, order=True):
    """A taint of a node; `value` may be empty."""

    key: str
    value: str
    effect: str


class NodeResources(Struct, frozen=True):
    """CPU and memory of one node, or of a part of it."""

    cpu_millicores: int
    memory_bytes: int

    def less(self, other: "NodeResources") -> "NodeResources":
        """What is left when `other` is taken away; never below nothing."""
        return NodeResources(
            max(0, self.cpu_millicores - other.cpu_millicores), max(0, self.memory_bytes - other.memory_bytes)
        )


class Accelerator(Struct, frozen=True):
    """The GPUs of one node: `type` as specs write it (`h100`), `resource` as pods ask for it.

    `mig` says how many slices of a profile (`3g.40gb`) one GPU holds; empty where it cannot be sliced.
    """

    type: str
    count: int
    resource: str
    memory_bytes: int
    mig: Mapping[str, int]


class MachineFabric(Struct, frozen=True):
    """The fabric that links a machine's nodes (a key of the fabrics), and its devices on one node.

    `env` is what this machine needs besides `Fabric.env`.
    """

    name: str
    devices: int
    env: Mapping[str, str]


class Machine(Struct, frozen=True, kw_only=True):
    """One machine type. `labels` and `taints` are those of its nodes on `provider`, its home.

    `arch` is what its nodes have as `kubernetes.io/arch`; `labels` does not repeat it.
    `allocatable` is what the kubelet offers to all pods of a node; the node's own DaemonSets take their share
    of that (`Provider.daemon_reserve`) before a training pod can have any.
    """

    name: str
    provider: str
    arch: str
    capacity: NodeResources
    allocatable: NodeResources
    accelerator: Accelerator | None
    fabric: MachineFabric | None
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]
