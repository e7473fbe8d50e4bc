"""A cluster resolved: one Kubernetes API server and all that jobs can count on there."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from trainshed.model.catalog import Fabric, Machine, NodeResources, Provider, StorageDriver, Taint
from trainshed.model.gpus import NodeGpus
from trainshed.model.mirror import Mirror
from trainshed.model.policy import PolicySetting
from trainshed.model.provenance import Sources
from trainshed.model.quantity import parse_quantity
from trainshed.model.queueing import Gang, Level, Sharing
from trainshed.model.rendezvous import Etcd
from trainshed.model.site import Monitoring, NodeHealth
from trainshed.model.source import Source


class NodeFabric(Struct, frozen=True):
    """The fabric that links a pool's nodes, as the site and the machine have it, and its devices on each node."""

    fabric: Fabric
    devices: int


class Pool(Struct, frozen=True):
    """A group of like machines of a cluster.

    `share` is the CPU and memory that pods may ask of one node; `extra` what a node has that no catalogue knows.
    """

    name: str
    machine: Machine
    nodes: int
    capacity: Literal["on-demand", "spot", "reserved"]
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    share: NodeResources
    gpus: NodeGpus | None
    fabric: NodeFabric | None
    extra: Mapping[str, int]
    source: Source

    @property
    def gpu_type(self) -> str:
        """The accelerator of its machines, or nothing."""
        return self.gpus.type if self.gpus else ""

    @property
    def gpus_per_node(self) -> int:
        """GPUs of each of its machines, or the parts of GPUs that are handed out."""
        return self.gpus.count if self.gpus else 0

    @property
    def resources(self) -> Mapping[str, Fraction]:
        """What one node offers to pods, by the names that they ask by: the unit of every quota."""
        offers = {
            "cpu": Fraction(self.share.cpu_millicores, 1000),
            "memory": Fraction(self.share.memory_bytes),
        }
        if self.gpus:
            offers[self.gpus.resource] = Fraction(self.gpus.count)
        if self.fabric and self.fabric.fabric.carried:
            fabric = self.fabric.fabric
            offers |= {name: parse_quantity(text) for name, text in fabric.extra_resources.items()}
            offers |= {fabric.resource: Fraction(self.fabric.devices)} if fabric.resource else {}
        return offers | {name: Fraction(count) for name, count in self.extra.items()}


class StorageClass(Struct, frozen=True):
    """A storage of a cluster. `snapshot_class` is the one to use, empty where we make it.

    `deletes` says that data goes with its claim. `region` and `endpoint` are those of an object store, empty where its
    driver knows them.
    """

    name: str
    storage_class: str
    driver: StorageDriver
    source: Source
    region: str = ""
    endpoint: str = ""
    snapshot_class: str = ""
    deletes: bool = False


class InstalledOperator(Struct, frozen=True):
    """An operator of a cluster, pinned to a release."""

    name: str
    release: str
    kinds: tuple[str, ...]
    source: Source


class ArgoDestination(Struct, frozen=True):
    """Where Argo CD reads the rendered files, and where it applies them: by name or by server."""

    repo_url: str
    revision: str
    namespace: str
    destination: tuple[Literal["name", "server"], str]


class Cluster(Struct, frozen=True):
    """One Kubernetes API server and all that jobs can count on there."""

    name: str
    kubernetes: str
    provider: Provider
    region: str
    environment: str
    operators: Mapping[str, InstalledOperator]
    gang: Gang
    elastic_jobs: bool
    sharing: Sharing
    topology: tuple[Level, ...]
    cohort: str
    priorities: Mapping[str, int]
    pools: Mapping[str, Pool]
    storage: Mapping[str, StorageClass]
    git_image: str
    init_image: str
    mirror: Mirror
    mesh: Literal["istio", "linkerd", ""]
    node_health: tuple[NodeHealth, ...]
    monitoring: Monitoring | None
    fetch_images: Mapping[str, str]
    etcd: Etcd | None
    privileged_teams: frozenset[str]
    policies: Mapping[str, PolicySetting]
    argocd: ArgoDestination
    source: Source
    sources: Sources

    @property
    def num_nodes(self) -> int:
        """All nodes of all pools: on a cluster of one, pods start together and share what one node mounts."""
        return sum(pool.nodes for pool in self.pools.values())

    @property
    def has_kueue(self) -> bool:
        """Whether jobs wait in Kueue's queues."""
        return "kueue" in self.operators

    @property
    def has_volcano_queues(self) -> bool:
        """Whether jobs count in Volcano's queues."""
        return self.gang == "volcano"
