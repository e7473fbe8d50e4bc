"""Rows of `fabrics.yaml`."""

from collections.abc import Iterator
from types import MappingProxyType

from trainshed.catalog.row import Row, open_file
from trainshed.model.catalog import Fabric, HostPath, PodSecurity, Sidecar


def read_fabrics() -> Iterator[Fabric]:
    """Every fabric, in the order of the file."""
    with open_file("fabrics.yaml") as file:
        for name, row in file.rows("fabrics"):
            with row:
                yield _read_fabric(name, row)


def _read_fabric(name: str, row: Row) -> Fabric:
    return Fabric(
        name=name,
        title=row.text("title"),
        carried=row.flag("carried"),
        reason=row.text("reason", ""),
        resource=row.text("resource", ""),
        extra_resources=row.table("extraResources"),
        capabilities=row.texts("capabilities"),
        pod_security=PodSecurity(row.text("podSecurity")),
        annotations=row.table("annotations"),
        networks=row.text("networks", ""),
        host_paths=MappingProxyType({path: _read_host_path(cells) for path, cells in row.rows("hostPaths")}),
        sidecar=_read_sidecar(row.row("sidecar")) if row.has("sidecar") else None,
        env=row.table("env"),
        guard=row.text("guard", ""),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )


def _read_host_path(row: Row) -> HostPath:
    with row:
        return HostPath(
            path=row.text("path"),
            mount_path=row.text("mountPath", ""),
            read_only=row.flag("readOnly", "false"),
        )


def _read_sidecar(row: Row) -> Sidecar:
    with row:
        return Sidecar(
            name=row.text("name"),
            image=row.text("image"),
            command=row.texts("command"),
            args=row.texts("args"),
            capabilities=row.texts("capabilities"),
            env=row.table("env"),
            mounts=row.table("mounts"),
        )
