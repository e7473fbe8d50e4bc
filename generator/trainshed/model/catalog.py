"""The catalogue's nouns: machines, providers, fabrics, storage drivers and operator releases.

Facts of the outside world, read from data files by `trainshed.catalog`. Every row names its sources, and says
in `unconfirmed` what they leave open. Memory is in bytes, CPU in thousandths of a vCPU, time in seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class CatalogError(Exception):
    """The catalogue, or what we ask of it, is not of the form that its readers know: a mistake of this program."""


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
    """The GPUs of one node: `type` as specs write it (`h100`), `resource` as pods ask for it.

    `mig` says how many slices of a profile (`3g.40gb`) one GPU holds; empty where it cannot be sliced.
    """

    type: str
    count: int
    resource: str
    memory_bytes: int
    mig: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MachineFabric:
    """The fabric that links a machine's nodes (a key of the fabrics), and its devices on one node.

    `env` is what this machine needs besides `Fabric.env`.
    """

    name: str
    devices: int
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """One way of buying nodes on a provider (`spot`, `on-demand`, `reserved`).

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

    `annotation` is empty where the cloud keeps the link itself (`podIdentity`); `pod_labels` go on every pod
    template.
    """

    key: str
    annotation: str
    pod_labels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One kind of cluster: who made it, not where it stands.

    `fixed_uid` says whether pods may choose their user id. `tolerates_gpu_taint` says whether the provider
    itself adds the toleration for `nvidia.com/gpu` to pods that ask for GPUs. `scc` is the security context
    constraint that admits the pods of a privileged namespace; empty where there are none. `daemon_reserve` is
    what the DaemonSets of a node take of `Machine.allocatable`.
    """

    name: str
    title: str
    capacities: Mapping[str, Capacity]
    identities: tuple[IdentityForm, ...]
    fixed_uid: bool
    tolerates_gpu_taint: bool
    scc: str
    daemon_reserve: NodeResources
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostPath:
    """A path of the node: where the training container mounts it (empty: only the sidecar does), and how."""

    path: str
    mount_path: str
    read_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """A container that starts before the training container and runs beside it, as root.

    Rendered as a native sidecar: an init container with `restartPolicy: Always`. `mounts` says for names of
    `Fabric.host_paths` where it mounts them.
    """

    name: str
    image: str
    command: tuple[str, ...]
    args: tuple[str, ...]
    capabilities: tuple[str, ...]
    env: Mapping[str, str]
    mounts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabric:
    """What a pod needs to use a fabric.

    A pod that has a whole node asks for `resource` (empty: none) as often as the machine has devices, and for
    `extra_resources` as they are. `pod_security` is the strictest level that admits such a pod. `carried` is
    False for fabrics that are known but not supported; `reason` says why.

    `capabilities` are the training container's, `annotations` the pod's, and `networks` is the value of
    Multus' `k8s.v1.cni.cncf.io/networks` where the pod needs one. `guard` is the value of NCCL_NET that makes
    NCCL fail where the fabric is missing, instead of taking plain sockets.
    """

    name: str
    title: str
    carried: bool
    reason: str
    resource: str
    extra_resources: Mapping[str, str]
    capabilities: tuple[str, ...]
    pod_security: PodSecurity
    annotations: Mapping[str, str]
    networks: str
    host_paths: Mapping[str, HostPath]
    sidecar: Sidecar | None
    env: Mapping[str, str]
    guard: str
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


class MountFor(StrEnum):
    """What calls for a mount option of an object store."""

    ALWAYS = "always"
    WRITE = "write"
    USER = "user"
    PREFIX = "prefix"
    CACHE = "cache"
    REGION = "region"
    ENDPOINT = "endpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketForm:
    """How a driver mounts `<scheme>://…`: the parts of a static PersistentVolume, as templates.

    They hold `{volume}` (unique in the cluster), `{bucket}`, `{account}` (Azure only), `{prefix}` (without
    slashes around it), `{region}`, `{endpoint}`, `{user}`, `{group}` and `{clientId}`. `identity_attributes`
    make the mount use the pod's own cloud identity instead of the driver's. `cache_attributes` and
    `cache_annotations` hold `{cache}`, the size of a cache on each node. `inline_attributes` are those of a
    volume that stands in the pod itself, empty where the driver has none. `pod_annotations` go on every pod.
    """

    scheme: str
    volume_handle: str
    attributes: Mapping[str, str]
    identity_attributes: Mapping[str, str]
    inline_attributes: Mapping[str, str]
    mount_options: Mapping[MountFor, tuple[str, ...]]
    pod_annotations: Mapping[str, str]
    cache_attributes: Mapping[str, str]
    cache_annotations: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageDriver:
    """What a CSI driver (or another provisioner) can do.

    A volume has `min_bytes` or a multiple of `step_bytes`, and the driver rounds what is asked for up; 0
    where any size goes. `capacity_ignored`: the size means nothing. `static_only`: no StorageClass can make
    volumes. `bucket` is set where the driver mounts buckets that exist. `snapshot_parameters` are those of a
    VolumeSnapshotClass of ours, None where only the site can write one.
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
    bucket: BucketForm | None = None
    snapshot_parameters: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Fetcher:
    """The tool that fetches one scheme of addresses to a folder: a command without a shell, and its variables.

    Both are templates of `{bucket}`, `{account}`, `{path}` (what stands behind the bucket), `{repository}`,
    `{revision}`, `{kind}`, `{reference}` (all that stands behind the scheme) and `{folder}`. `image` is empty where the
    cluster has to name one.
    """

    scheme: str
    title: str
    image: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class ServedKind:
    """A kind that an operator release serves. `kueue_framework` is empty where Kueue has no integration."""

    kind: str
    api_version: str
    kueue_framework: str = ""


@dataclass(frozen=True, slots=True)
class ManifestField:
    """A field of a manifest: a JSON pointer in a kind, `*` for any entry; and its value where one alone is meant."""

    kind: str
    pointer: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.pointer}" + (f"={self.value}" if self.value else "")


@dataclass(frozen=True, slots=True)
class Feature:
    """What an operator can do in some of its releases, and the fields that ask for it, if fields do."""

    name: str
    meaning: str
    fields: tuple[ManifestField, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Install:
    """Where Argo CD finds an upstream release: `path` in `repo_url` at the tag `revision`.

    `crds` is a second path, of the CRDs that the first leaves out.
    """

    repo_url: str
    revision: str
    path: str
    form: InstallForm
    crds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRelease:
    """One release of an operator: what it serves, what it can do, how it is installed and configured.

    `features` and `missing` share the keys of `Operator.features` out. `settings` are the release's own names of
    the things that we configure (`deployment`, `container`, `config-value`, …); `trainshed.catalog.operator` says
    what each is.
    """

    operator: str
    version: str
    kinds: tuple[ServedKind, ...]
    features: frozenset[str]
    missing: frozenset[str]
    settings: Mapping[str, str]
    install: Install

    def serves(self, kind: str) -> ServedKind | None:
        """The kind as this release serves it, or None."""
        return next((served for served in self.kinds if served.kind == kind), None)

    def can(self, feature: str) -> bool:
        """Whether this release has the feature. Raises `CatalogError` for a name that the operator's table lacks."""
        if feature not in self.features | self.missing:
            raise CatalogError(f"{self.operator} has no feature {feature}")
        return feature in self.features


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An operator, its namespace, the releases that are known, oldest first, and what its features mean."""

    name: str
    title: str
    namespace: str
    releases: Mapping[str, OperatorRelease]
    features: Mapping[str, Feature]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]

    @property
    def newest(self) -> OperatorRelease:
        """The last release that is known."""
        return tuple(self.releases.values())[-1]
