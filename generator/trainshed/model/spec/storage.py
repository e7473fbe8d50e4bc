"""Volumes that a team owns, and what a job mounts."""

from typing import Literal

from trainshed.model.spec.scalars import ContainerPath, Name, Names, Quantity
from trainshed.model.spec.written import Written

Access = Literal["rwx", "rwo"]


class Claim(Written):
    """A persistent volume claim."""

    storage: Name | None = None
    """A storage of the cluster, by the cluster's own name for it."""
    size: Quantity | None = None
    """How much; it can grow, never shrink."""
    access: Access | None = None
    """rwx: many nodes read and write (unless said otherwise); rwo: one node."""


class Volume(Claim):
    """A claim that belongs to a team and outlives its jobs."""

    clusters: Names | None = None
    """The clusters that have it; all of the team's unless said otherwise."""


class DataMount(Written):
    """Something that is mounted into every pod of a job."""

    volume: Name | None = None
    """A volume of the team."""
    claim: Name | None = None
    """A claim that is already in the namespace and that trainshed does not own."""
    create: Claim | None = None
    """A claim of the job's own, kept when the job is retired."""
    config_map: Name | None = None
    """A ConfigMap that the team declares, each key as a file."""
    secret: Name | None = None
    """A Secret that the team declares, each key as a file."""
    host_path: ContainerPath | None = None
    """A path of the node; only with privileges that cluster and team approve."""
    mount_path: ContainerPath | None = None
    """Where it is mounted."""
    sub_path: str | None = None
    """A folder inside the volume, mounted in place of the whole."""
    read_only: bool | None = None
    """true: the job cannot write to it."""
