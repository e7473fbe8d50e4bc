"""Rows of `storage.yaml`."""

from collections.abc import Iterator
from types import MappingProxyType

from trainshed.catalog.row import Row, open_file
from trainshed.model.catalog import AccessMode, BindingMode, BucketForm, MountFor, StorageDriver


def read_storage_drivers() -> Iterator[StorageDriver]:
    """Every storage driver, in the order of the file."""
    with open_file("storage.yaml") as file:
        for name, row in file.rows("drivers"):
            with row:
                yield _read_driver(name, row)


def _read_driver(name: str, row: Row) -> StorageDriver:
    return StorageDriver(
        name=name,
        title=row.text("title"),
        access_modes=tuple(AccessMode(mode) for mode in row.texts("accessModes")),
        min_bytes=row.amount("minSize", default="0"),
        step_bytes=row.amount("sizeStep", default="0"),
        capacity_ignored=row.flag("capacityIgnored", "false"),
        snapshots=row.flag("snapshots"),
        expandable=row.flag("expandable"),
        static_only=row.flag("staticOnly", "false"),
        binding=BindingMode(row.text("binding")),
        note=row.text("note", ""),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
        bucket=_read_bucket(row.row("bucket")) if row.has("bucket") else None,
        snapshot_parameters=row.table("snapshotParameters") if row.has("snapshotParameters") else None,
    )


def _read_bucket(row: Row) -> BucketForm:
    with row, row.row("mountOptions") as options:
        return BucketForm(
            scheme=row.text("scheme"),
            volume_handle=row.text("volumeHandle"),
            attributes=row.table("attributes"),
            identity_attributes=row.table("identityAttributes"),
            inline_attributes=row.table("inlineAttributes"),
            mount_options=MappingProxyType({cause: options.texts(cause) for cause in MountFor}),
            pod_annotations=row.table("podAnnotations"),
            cache_attributes=row.table("cacheAttributes"),
            cache_annotations=row.table("cacheAnnotations"),
        )
