"""Rows of `providers.yaml`."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from trainshed.catalog.row import Row, open_file
from trainshed.model.catalog import Capacity, IdentityForm, Provider


def read_providers() -> Iterator[Provider]:
    """Every provider, in the order of the file."""
    with open_file("providers.yaml") as file:
        for name, row in file.rows("providers"):
            with row:
                yield _read_provider(name, row)


def _read_provider(name: str, row: Row) -> Provider:
    with row.row("daemonReserve") as reserve:
        daemon_reserve = reserve.resources()
    return Provider(
        name=name,
        title=row.text("title"),
        capacities=MappingProxyType({kind: _read_capacity(cells) for kind, cells in row.rows("capacities")}),
        identities=tuple(_read_identity(key, cells) for key, cells in row.rows("identities")),
        fixed_uid=row.flag("fixedUid"),
        tolerates_gpu_taint=row.flag("toleratesGpuTaint"),
        scc=row.text("scc", ""),
        daemon_reserve=daemon_reserve,
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )


def _read_capacity(row: Row) -> Capacity:
    with row:
        return Capacity(
            labels=row.table("labels"),
            taints=row.taints(),
            variants=_read_variants(row),
            notice_seconds=row.number("noticeSeconds") if row.has("noticeSeconds") else None,
        )


def _read_variants(row: Row) -> Mapping[str, Mapping[str, str]]:
    variants: dict[str, Mapping[str, str]] = {}
    for name, cells in row.rows("variants"):
        with cells:
            variants[name] = cells.table("labels")
    return MappingProxyType(variants)


def _read_identity(key: str, row: Row) -> IdentityForm:
    with row:
        return IdentityForm(key=key, annotation=row.text("annotation", ""), pod_labels=row.table("podLabels"))
