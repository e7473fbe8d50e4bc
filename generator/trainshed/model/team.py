"""A team resolved as it is on one cluster: quotas in nodes, volumes on storage."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct

from trainshed.model.catalog import AccessMode
from trainshed.model.cluster import Cluster, Pool, StorageClass
from trainshed.model.policy import PolicySetting
from trainshed.model.provenance import Sources
from trainshed.model.source import Source
from trainshed.model.storage import Bucket, Snapshots

Access: TypeAlias = Literal["rwx", "rwo", "rox"]

ACCESS_MODES: Mapping[str, AccessMode] = MappingProxyType(
    {
        "rwx": AccessMode.READ_WRITE_MANY,
        "rwo": AccessMode.READ_WRITE_ONCE,
        "rox": AccessMode.READ_ONLY_MANY,
    }
)
"""How nodes may mount a volume: the word of the grammar, and the API's."""


class PoolQuota(Struct, frozen=True):
    """A team's part of a pool: nodes as fractions, for a quota in GPUs may be part of a node.

    `borrow_nodes` is None where borrowing has no limit of its own, `lend_nodes` where all may be lent. What is
    guaranteed is in `nodes` of the team's guaranteed quota, and not in those of its other one.
    """

    pool: Pool
    nodes: Fraction
    borrow_nodes: Fraction | None
    lend_nodes: Fraction | None
    source: Source

    @property
    def borrowed(self) -> Fraction:
        """The most that it may borrow: the whole pool, where that has no limit."""
        return Fraction(self.pool.nodes) if self.borrow_nodes is None else self.borrow_nodes


def resources_of(quotas: Iterable[PoolQuota], nodes: Callable[[PoolQuota], Fraction]) -> dict[str, Fraction]:
    """What as many nodes of each quota's pool have together, by resource."""
    sums: dict[str, Fraction] = {}
    for quota in quotas:
        for resource, each in quota.pool.resources.items():
            sums[resource] = sums.get(resource, Fraction(0)) + each * nodes(quota)
    return sums


class VolumeClaim(Struct, frozen=True):
    """A persistent volume claim of a team or of a job. `fields` says where storage, size and access are written.

    `filled_by` is the job that writes to it, or `hand`; empty where nobody said.
    """

    name: str
    storage: StorageClass
    size: str
    access: Access
    source: Source
    fields: Mapping[str, Source]
    bucket: Bucket | None = None
    snapshots: Snapshots | None = None
    filled_by: str = ""


class ExternalSecret(Struct, frozen=True):
    """A Secret that the External Secrets Operator copies from a store: every property of `key`."""

    name: str
    store: str
    store_kind: Literal["ClusterSecretStore", "SecretStore"]
    key: str
    source: Source


class TeamOnCluster(Struct, frozen=True):
    """A team as it is on one cluster. `identity` is its cloud identity there, by the provider's words for it.

    `user` and `group` are those of its pods unless a job says otherwise, None where the platform gives them.
    """

    name: str
    cluster: Cluster
    namespace: str
    namespaces: tuple[str, ...]
    privileged_namespace: str
    privileged_why: str
    owner: str
    cost_center: str
    groups: tuple[str, ...]
    quotas: Mapping[str, PoolQuota]
    guaranteed: Mapping[str, PoolQuota]
    weight: int
    identity: Mapping[str, str]
    service_account_annotations: Mapping[str, str]
    volumes: Mapping[str, VolumeClaim]
    secrets: frozenset[str]
    external_secrets: tuple[ExternalSecret, ...]
    config_maps: frozenset[str]
    service_accounts: frozenset[str]
    claims: frozenset[str]
    user: int | None
    group: int | None
    policies: Mapping[str, PolicySetting]
    source: Source
    sources: Sources

    @property
    def all_namespaces(self) -> tuple[str, ...]:
        """Its own, the further ones, and the approved one for privileged jobs."""
        named = (self.namespace, *self.namespaces, self.privileged_namespace)
        return tuple(filter(None, named))

    @property
    def queue(self) -> str:
        """The team's queue in Kueue, or nothing where it has no quota or the cluster no Kueue."""
        return self.name if self.cluster.has_kueue and self.quotas else ""

    @property
    def guaranteed_queue(self) -> str:
        """The queue of what nobody may take back, or nothing where nothing is guaranteed."""
        return f"{self.name}-guaranteed" if self.cluster.has_kueue and self.guaranteed else ""

    @property
    def queues(self) -> Mapping[str, Mapping[str, PoolQuota]]:
        """Its queues in Kueue, each with its quotas by pool."""
        named = {self.queue: self.quotas, self.guaranteed_queue: self.guaranteed}
        return {name: quotas for name, quotas in named.items() if name}

    @property
    def volcano_queue(self) -> str:
        """Its queue in Volcano, which has one that takes all others in."""
        return self.name if self.quotas else "default"

    @property
    def capability(self) -> Mapping[str, Fraction]:
        """The most that its Volcano queue may ever hold, by resource: no more than its pools have."""
        kept = {name: quota.nodes for name, quota in self.guaranteed.items()}
        return resources_of(
            self.quotas.values(),
            lambda quota: min(
                Fraction(quota.pool.nodes),
                quota.nodes + kept.get(quota.pool.name, Fraction(0)) + quota.borrowed,
            ),
        )

    @property
    def policy_layers(self) -> tuple[Mapping[str, PolicySetting], ...]:
        """What is said about rules, the team's words before the cluster's."""
        return (self.policies, self.cluster.policies)
