"""The catalogue's providers: who made a cluster, how its nodes are bought, and how pods prove who they are."""

from collections.abc import Mapping

from msgspec import Struct

from trainshed.model.catalog.machine import NodeResources, Taint


class Capacity(Struct, frozen=True, kw_only=True):
    """One way of buying nodes on a provider (`spot`, `on-demand`, `reserved`).

    `labels` and `taints` tell its nodes apart; `variants` holds the labels of nodes that another provisioner
    (`karpenter`) makes. `notice_seconds` is how long a training pod has between SIGTERM and SIGKILL when its
    node is taken back, None where nodes are not taken back.
    """

    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    variants: Mapping[str, Mapping[str, str]]
    notice_seconds: int | None


class IdentityForm(Struct, frozen=True, kw_only=True):
    """How a ServiceAccount gets a cloud identity: a spec's key (`roleArn`) and where its value goes.

    `annotation` is empty where the cloud keeps the link itself (`podIdentity`); `pod_labels` go on every pod
    template.
    """

    key: str
    annotation: str
    pod_labels: Mapping[str, str]


class Provider(Struct, frozen=True, kw_only=True):
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
