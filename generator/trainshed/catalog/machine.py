"""Rows of `machines/*.yaml`."""

from collections.abc import Iterator

from trainshed.catalog.row import Row, open_folder
from trainshed.model.catalog import Accelerator, Machine, MachineFabric


def read_machines() -> Iterator[Machine]:
    """Every machine of every file, in the order of the files."""
    for file in open_folder("machines"):
        with file:
            provider = file.text("provider")
            for name, row in file.rows("machines"):
                with row:
                    yield _read_machine(name, provider, row)


def _read_machine(name: str, provider: str, row: Row) -> Machine:
    with row.row("allocatable") as allocatable:
        offered = allocatable.resources()
    return Machine(
        name=name,
        provider=provider,
        capacity=row.resources(),
        allocatable=offered,
        accelerator=_read_accelerator(row.row("gpus")) if row.has("gpus") else None,
        fabric=_read_fabric(row.row("fabric")) if row.has("fabric") else None,
        labels=row.table("labels"),
        taints=row.taints(),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )


def _read_accelerator(row: Row) -> Accelerator:
    with row:
        return Accelerator(
            type=row.text("type"),
            count=row.number("count"),
            resource=row.text("resource", "nvidia.com/gpu"),
            memory_bytes=row.amount("memory"),
        )


def _read_fabric(row: Row) -> MachineFabric:
    with row:
        return MachineFabric(name=row.text("name"), devices=row.number("devices"))
