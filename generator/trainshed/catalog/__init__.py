"""The catalogue: facts about machines, providers, fabrics, storage and operators, as data.

Each reader parses its files at the first call and keeps the result for the life of the process. Keys are the
names that specs use: `aws/p5.48xlarge`, `eks`, `efa`, `fsx.csi.aws.com`, `kueue`.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from trainshed.catalog.fabric import read_fabrics
from trainshed.catalog.fetcher import read_fetchers
from trainshed.catalog.machine import read_machines
from trainshed.catalog.operator import read_operators
from trainshed.catalog.provider import read_providers
from trainshed.catalog.storage import read_storage_drivers
from trainshed.catalog.synced import read_synced_kinds
from trainshed.model.catalog import Fabric, Fetcher, Machine, Operator, Provider, StorageDriver, SyncedKind

__all__ = ["fabrics", "fetchers", "machines", "operators", "providers", "storage_drivers", "synced_kinds"]


@cache
def machines() -> Mapping[str, Machine]:
    """Machine types by name, `<cloud>/<type>`."""
    return MappingProxyType({machine.name: machine for machine in read_machines()})


@cache
def providers() -> Mapping[str, Provider]:
    """Kinds of cluster by name."""
    return MappingProxyType({provider.name: provider for provider in read_providers()})


@cache
def fabrics() -> Mapping[str, Fabric]:
    """Fabrics by name."""
    return MappingProxyType({fabric.name: fabric for fabric in read_fabrics()})


@cache
def fetchers() -> Mapping[str, Fetcher]:
    """The tools that fetch data, by the scheme of its address."""
    return MappingProxyType({fetcher.scheme: fetcher for fetcher in read_fetchers()})


@cache
def storage_drivers() -> Mapping[str, StorageDriver]:
    """Storage drivers by the name that a StorageClass calls `provisioner`."""
    return MappingProxyType({driver.name: driver for driver in read_storage_drivers()})


@cache
def operators() -> Mapping[str, Operator]:
    """Operators by name; each holds its known releases."""
    return MappingProxyType({operator.name: operator for operator in read_operators()})


@cache
def synced_kinds() -> Mapping[str, SyncedKind]:
    """The kinds that Argo CD has to be told about, by `<group>/<kind>`."""
    return MappingProxyType({f"{kind.group}/{kind.kind}": kind for kind in read_synced_kinds()})
