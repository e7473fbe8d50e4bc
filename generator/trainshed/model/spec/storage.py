"""Volumes that a team owns, and what a job mounts."""

from typing import Annotated, Any, Literal

from pydantic import Field

from trainshed.model.spec.scalars import ContainerPath, Name, Names, Quantity
from trainshed.model.spec.uris import BucketUri, DataUri
from trainshed.model.spec.written import Lift, Written

Access = Literal["rwx", "rwo", "rox"]


class Claim(Written):
    """A persistent volume claim."""

    storage: Name | None = None
    """A storage of the cluster, by the cluster's own name for it."""
    size: Quantity | None = None
    """How much; it can grow, never shrink."""
    access: Access | None = None
    """rwx: many nodes read and write (unless said otherwise); rwo: one node; rox: a bucket that is only read."""


class Snapshots(Written):
    """Snapshots of a volume, taken by themselves."""

    cron: str | None = None
    """When, in UTC. Five fields of numbers: minute, hour, day of month, month, day of week."""
    keep: Annotated[int, Field(ge=1, le=1000)] | None = None
    """How many stay; 7 unless said otherwise."""


class LocalVolume(Claim):
    """A team's volume as it is on one cluster."""

    bucket: BucketUri | None = None
    """A bucket that exists, such as s3://acme-shards/prefix; its storage names the driver that mounts it."""
    cache: Quantity | None = None
    """How much of the bucket each node keeps on its own disk."""
    snapshots: Annotated[Snapshots | None, Lift(("cron",), ("string",))] = None
    """Snapshots taken by themselves: "0 3 * * *", or {cron: …, keep: 7}."""
    filled_by: Name | None = None
    """The job that fills it, or hand: said where every job only reads it."""


class Volume(LocalVolume):
    """A claim that belongs to a team and outlives its jobs."""

    clusters: Names | None = None
    """The clusters that have it; all of the team's unless said otherwise."""


class DataMount(Written):
    """Something that every pod of a job reads or writes: mounted, fetched before the start, or named by its address."""

    volume: Name | None = None
    """A volume of the team."""
    claim: Name | None = None
    """A claim that is already in the namespace and that trainshed does not own."""
    create: Claim | None = None
    """A claim of the job's own, kept when the job is retired."""
    uri: DataUri | None = None
    """Data outside of the cluster: s3://, gs:// or az:// for buckets, hf:// for a hub, oci:// for a registry."""
    config_map: Name | None = None
    """A ConfigMap that the team declares, each key as a file."""
    secret: Name | None = None
    """A Secret that the team declares, each key as a file."""
    host_path: ContainerPath | None = None
    """A path of the node; only with privileges that cluster and team approve."""
    source: dict[str, Any] | None = None
    """A volume as Kubernetes writes it, such as {nfs: {server: …, path: …}}."""
    mount_path: ContainerPath | None = None
    """Where it is mounted."""
    sub_path: str | None = None
    """A folder inside the volume, mounted in place of the whole."""
    read_only: bool | None = None
    """true: the job cannot write to it."""
    mode: Literal["uri", "prefetch", "mount"] | None = None
    """Of a uri. uri: the code is told the address (unless said otherwise); prefetch: fetched to local disk first."""
    size: Quantity | None = None
    """Of a prefetch: the local disk that it takes."""
    credentials: Name | None = None
    """Of a uri: a Secret of the team whose keys become variables, where there is no cloud identity."""
    shard: Literal["rank"] | None = None
    """rank: each process takes its share of the shards; told to the code, which does it."""
    requires: str | None = None
    """A file that must be there before the run starts, such as _SUCCESS; looked for by test -e of the image."""
