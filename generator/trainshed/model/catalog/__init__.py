"""The catalogue's nouns: machines, providers, fabrics, storage drivers, fetchers and operator releases.

Facts of the outside world, read from data files by `trainshed.catalog`. Every row names its sources, and says
in `unconfirmed` what they leave open. Memory is in bytes, CPU in thousandths of a vCPU, time in seconds.
"""

from trainshed.model.catalog.error import CatalogError
from trainshed.model.catalog.fabric import Fabric, HostPath, PodSecurity, Sidecar
from trainshed.model.catalog.fetcher import Fetcher
from trainshed.model.catalog.machine import Accelerator, Machine, MachineFabric, NodeResources, Taint
from trainshed.model.catalog.operator import (
    Feature,
    Install,
    InstallForm,
    ManifestField,
    Operator,
    OperatorRelease,
    ServedKind,
)
from trainshed.model.catalog.provider import Capacity, IdentityForm, Provider
from trainshed.model.catalog.storage import AccessMode, BindingMode, BucketForm, MountFor, StorageDriver
from trainshed.model.catalog.synced import SyncedKind

__all__ = [
    "Accelerator",
    "AccessMode",
    "BindingMode",
    "BucketForm",
    "Capacity",
    "CatalogError",
    "Fabric",
    "Feature",
    "Fetcher",
    "HostPath",
    "IdentityForm",
    "Install",
    "InstallForm",
    "Machine",
    "MachineFabric",
    "ManifestField",
    "MountFor",
    "NodeResources",
    "Operator",
    "OperatorRelease",
    "PodSecurity",
    "Provider",
    "ServedKind",
    "Sidecar",
    "StorageDriver",
    "SyncedKind",
    "Taint",
]
