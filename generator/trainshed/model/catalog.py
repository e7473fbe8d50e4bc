"""The catalogue's nouns: machines, providers, fabrics, storage drivers and operator releases.

Facts of the outside world, read from data files by `trainshed.catalog`. Every row names its sources, and says
in `unconfirmed` what they leave open. Memory is in bytes, CPU in thousandths of a vCPU, time in seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class PodSecurity(StrEnum):
    """The Pod Security levels, by what they let through: each admits what the one before it admits."""

    RESTRICTED = "restricted"
    BASELINE = "baseline"
    PRIVILEGED = "privileged"


class AccessMode(StrEnum):
    """How nodes may mount a volume, in the API's words."""

    READ_WRITE_ONCE = "ReadWriteOnce"
    READ_ONLY_MANY = "ReadOnlyMany"
    READ_WRITE_MANY = "ReadWriteMany"


class BindingMode(StrEnum):
    """A StorageClass's `volumeBindingMode`."""

    IMMEDIATE = "Immediate"
    FIRST_CONSUMER = "WaitForFirstConsumer"


class InstallForm(StrEnum):
    """What Argo CD makes of an upstream folder."""

    HELM = "helm"
    KUSTOMIZE = "kustomize"


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """A taint of a node; `value` may be empty."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class NodeResources:
    """CPU and memory of one node, or of a part of it."""

    cpu_millicores: int
    memory_bytes: int

    def less(self, other: "NodeResources") -> "NodeResources":
        """What is left when `other` is taken away; never below nothing."""
        return NodeResources(
            max(0, self.cpu_millicores - other.cpu_millicores), max(0, self.memory_bytes - other.memory_bytes)
        )


@dataclass(frozen=True, slots=True)
class Accelerator:
    """The GPUs of one node: `type` as specs write it (`h100`), `resource` as pods ask for it."""

    type: str
    count: int
    resource: str
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class MachineFabric:
    """The fabric that links a machine's nodes (a key of the fabrics), and its devices on one node."""

    name: str
    devices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine type. `labels` and `taints` are those of its nodes on `provider`, its home.

    `allocatable` is what the kubelet offers to all pods of a node; the node's own DaemonSets take their share
    of that (`Provider.daemon_reserve`) before a training pod can have any.
    """

    name: str
    provider: str
    capacity: NodeResources
    allocatable: NodeResources
    accelerator: Accelerator | None
    fabric: MachineFabric | None
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """One way of buying nodes on a provider (`spot`, `on-demand`).

    `labels` and `taints` tell its nodes apart; `variants` holds the labels of nodes that another provisioner
    (`karpenter`) makes. `notice_seconds` is how long a training pod has between SIGTERM and SIGKILL when its
    node is taken back, None where nodes are not taken back.
    """

    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    variants: Mapping[str, Mapping[str, str]]
    notice_seconds: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityForm:
    """How a ServiceAccount gets a cloud identity: a spec's key (`roleArn`) and where its value goes.

    `annotation` is empty where the cloud keeps the link itself; `pod_labels` go on every pod template.
    """

    key: str
    annotation: str
    pod_labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One kind of cluster: who made it, not where it stands.

    `fixed_uid` says whether pods may choose their user id. `tolerates_gpu_taint` says whether the provider
    itself adds the toleration for `nvidia.com/gpu` to pods that ask for GPUs. `daemon_reserve` is what the
    DaemonSets of a node take of `Machine.allocatable`.
    """

    name: str
    title: str
    capacities: Mapping[str, Capacity]
    identities: tuple[IdentityForm, ...]
    fixed_uid: bool
    tolerates_gpu_taint: bool
    daemon_reserve: NodeResources
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """What a pod needs to use a fabric.

    A pod that has a whole node asks for `resource` (empty: none) as often as the machine has devices, and for
    `extra_resources` as they are. `pod_security` is the strictest level that admits such a pod. `carried` is
    False for fabrics that are known but not supported; `reason` says why.
    """

    name: str
    title: str
    carried: bool
    reason: str
    resource: str
    extra_resources: Mapping[str, str]
    capabilities: tuple[str, ...]
    pod_security: PodSecurity
    env: Mapping[str, str]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageDriver:
    """What a CSI driver (or another provisioner) can do.

    A volume has `min_bytes` or a multiple of `step_bytes`, and the driver rounds what is asked for up; 0
    where any size goes. `capacity_ignored`: the size means nothing. `static_only`: no StorageClass can make
    volumes.
    """

    name: str
    title: str
    access_modes: tuple[AccessMode, ...]
    min_bytes: int
    step_bytes: int
    capacity_ignored: bool
    snapshots: bool
    expandable: bool
    static_only: bool
    binding: BindingMode
    note: str
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class ServedKind:
    """A kind that an operator release serves. `kueue_framework` is empty where Kueue has no integration."""

    kind: str
    api_version: str
    kueue_framework: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Install:
    """Where Argo CD finds an upstream release: `path` in `repo_url` at the tag `revision`."""

    repo_url: str
    revision: str
    path: str
    form: InstallForm


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRelease:
    """One release of an operator: what it serves, what it can do, how it is installed and configured.

    `features` are keys of `Operator.features`. `settings` are the release's own names of the things that we
    configure (`deployment`, `container`, `config-value`, …); the head of `operators.yaml` says what each is.
    """

    operator: str
    version: str
    kinds: tuple[ServedKind, ...]
    features: frozenset[str]
    settings: Mapping[str, str]
    install: Install

    def serves(self, kind: str) -> ServedKind | None:
        """The kind as this release serves it, or None."""
        return next((served for served in self.kinds if served.kind == kind), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An operator, its namespace, the releases that are known, oldest first, and what its features mean."""

    name: str
    title: str
    namespace: str
    releases: Mapping[str, OperatorRelease]
    features: Mapping[str, str]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]

    @property
    def newest(self) -> OperatorRelease:
        """The last release that is known."""
        return tuple(self.releases.values())[-1]
