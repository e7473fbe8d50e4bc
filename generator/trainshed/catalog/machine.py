"""Rows of `machines/*.yaml`, with what `gpus.yaml` says of their GPUs."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from trainshed.catalog.row import Row, open_file, open_folder
from trainshed.model.catalog import Accelerator, CatalogError, Machine, MachineFabric


def read_machines() -> Iterator[Machine]:
    """Every machine of every file, in the order of the files."""
    slices = dict(_read_slices())
    for file in open_folder("machines"):
        with file:
            provider = file.text("provider")
            for name, row in file.rows("machines"):
                with row:
                    yield _read_machine(name, provider, row, slices)


def _read_slices() -> Iterator[tuple[str, Mapping[str, int]]]:
    """How many slices of a MIG profile a GPU holds, by the GPU's type."""
    with open_file("gpus.yaml") as file:
        for name, row in file.rows("gpus"):
            with row:
                row.sources()
                yield (
                    name,
                    MappingProxyType({profile: int(count) for profile, count in row.table("mig").items()}),
                )


def _read_machine(name: str, provider: str, row: Row, slices: Mapping[str, Mapping[str, int]]) -> Machine:
    with row.row("allocatable") as allocatable:
        offered = allocatable.resources()
    return Machine(
        name=name,
        provider=provider,
        arch=row.text("arch", "amd64"),
        capacity=row.resources(),
        allocatable=offered,
        accelerator=_read_accelerator(row.row("gpus"), slices) if row.has("gpus") else None,
        fabric=_read_fabric(row.row("fabric")) if row.has("fabric") else None,
        labels=row.table("labels"),
        taints=row.taints(),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )


def _read_accelerator(row: Row, slices: Mapping[str, Mapping[str, int]]) -> Accelerator:
    with row:
        gpu = row.text("type")
        if gpu not in slices:
            raise CatalogError(f"{row.place}: gpus.yaml has no {gpu}")
        return Accelerator(
            type=gpu,
            count=row.number("count"),
            resource=row.text("resource", "nvidia.com/gpu"),
            memory_bytes=row.amount("memory"),
            mig=slices[gpu],
        )


def _read_fabric(row: Row) -> MachineFabric:
    with row:
        return MachineFabric(name=row.text("name"), devices=row.number("devices"), env=row.table("env"))
