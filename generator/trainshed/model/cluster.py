"""A cluster resolved: one Kubernetes API server and all that jobs can count on there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from trainshed.model.catalog import Machine, NodeResources, Provider, StorageDriver, Taint
from trainshed.model.policy import PolicySetting
from trainshed.model.provenance import Sources
from trainshed.model.source import Source


@dataclass(frozen=True, slots=True)
class Pool:
    """A group of like machines of a cluster. `share` is what pods may ask of one node."""

    name: str
    machine: Machine
    nodes: int
    capacity: Literal["on-demand", "spot"]
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    share: NodeResources
    source: Source

    @property
    def gpu_type(self) -> str:
        """The accelerator of its machines, or nothing."""
        return self.machine.accelerator.type if self.machine.accelerator else ""

    @property
    def gpus_per_node(self) -> int:
        """GPUs of each of its machines."""
        return self.machine.accelerator.count if self.machine.accelerator else 0


@dataclass(frozen=True, slots=True)
class StorageClass:
    """A storage of a cluster."""

    name: str
    storage_class: str
    driver: StorageDriver
    source: Source


@dataclass(frozen=True, slots=True)
class InstalledOperator:
    """An operator of a cluster, pinned to a release."""

    name: str
    release: str
    kinds: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class ArgoDestination:
    """Where Argo CD reads the rendered files, and where it applies them: by name or by server."""

    repo_url: str
    revision: str
    namespace: str
    destination: tuple[Literal["name", "server"], str]


@dataclass(frozen=True, slots=True)
class Cluster:
    """One Kubernetes API server and all that jobs can count on there."""

    name: str
    kubernetes: str
    provider: Provider
    region: str
    environment: str
    operators: Mapping[str, InstalledOperator]
    has_gang: bool
    elastic_jobs: bool
    cohort: str
    priorities: Mapping[str, int]
    pools: Mapping[str, Pool]
    storage: Mapping[str, StorageClass]
    git_image: str
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
        """Whether jobs wait in queues."""
        return "kueue" in self.operators
