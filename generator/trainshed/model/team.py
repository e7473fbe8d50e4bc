"""A team resolved as it is on one cluster: quotas in nodes, volumes on storage."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

from trainshed.model.catalog import AccessMode
from trainshed.model.cluster import Cluster, Pool, StorageClass
from trainshed.model.policy import PolicySetting
from trainshed.model.provenance import Sources
from trainshed.model.source import Source

ACCESS_MODES: Mapping[str, AccessMode] = MappingProxyType(
    {"rwx": AccessMode.READ_WRITE_MANY, "rwo": AccessMode.READ_WRITE_ONCE}
)
"""How nodes may mount a volume: the word of the grammar, and the API's."""


@dataclass(frozen=True, slots=True)
class PoolQuota:
    """A team's part of a pool: nodes as fractions, for a quota in GPUs may be part of a node.

    `borrow_nodes` is None where borrowing has no limit of its own, `lend_nodes` where all may be lent.
    """

    pool: Pool
    nodes: Fraction
    borrow_nodes: Fraction | None
    lend_nodes: Fraction | None
    source: Source


@dataclass(frozen=True, slots=True)
class VolumeClaim:
    """A persistent volume claim of a team or of a job. `fields` says where storage, size and access are written."""

    name: str
    storage: StorageClass
    size: str
    access: Literal["rwx", "rwo"]
    source: Source
    fields: Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class TeamOnCluster:
    """A team as it is on one cluster."""

    name: str
    cluster: Cluster
    namespace: str
    privileged_namespace: str
    privileged_why: str
    owner: str
    cost_center: str
    groups: tuple[str, ...]
    quotas: Mapping[str, PoolQuota]
    service_account_annotations: Mapping[str, str]
    volumes: Mapping[str, VolumeClaim]
    secrets: frozenset[str]
    config_maps: frozenset[str]
    service_accounts: frozenset[str]
    claims: frozenset[str]
    policies: Mapping[str, PolicySetting]
    source: Source
    sources: Sources

    @property
    def queue(self) -> str:
        """The team's queue, or nothing where it has no quota or the cluster no Kueue."""
        return self.name if self.cluster.has_kueue and self.quotas else ""

    @property
    def policy_layers(self) -> tuple[Mapping[str, PolicySetting], ...]:
        """What is said about rules, the team's words before the cluster's."""
        return (self.policies, self.cluster.policies)
