"""The catalogue's storage drivers: how volumes may be mounted, and what a mounted bucket is made of."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct


class AccessMode(StrEnum):
    """How nodes may mount a volume, in the API's words."""

    READ_WRITE_ONCE = "ReadWriteOnce"
    READ_ONLY_MANY = "ReadOnlyMany"
    READ_WRITE_MANY = "ReadWriteMany"


class BindingMode(StrEnum):
    """A StorageClass's `volumeBindingMode`."""

    IMMEDIATE = "Immediate"
    FIRST_CONSUMER = "WaitForFirstConsumer"


class MountFor(StrEnum):
    """What calls for a mount option of an object store."""

    ALWAYS = "always"
    WRITE = "write"
    USER = "user"
    PREFIX = "prefix"
    CACHE = "cache"
    REGION = "region"
    ENDPOINT = "endpoint"


class BucketForm(Struct, frozen=True, kw_only=True):
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


class StorageDriver(Struct, frozen=True, kw_only=True):
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
