"""The catalogue's fabrics: what a pod needs to reach the network that links the nodes."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class PodSecurity(StrEnum):
    """The Pod Security levels, by what they let through: each admits what the one before it admits."""

    RESTRICTED = "restricted"
    BASELINE = "baseline"
    PRIVILEGED = "privileged"


class HostPath(Struct, frozen=True):
    """A path of the node: where the training container mounts it (empty: only the sidecar does), and how."""

    path: str
    mount_path: str
    read_only: bool


class Sidecar(Struct, frozen=True, kw_only=True):
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


class Fabric(Struct, frozen=True, kw_only=True):
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
