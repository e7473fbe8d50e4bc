"""Rows of `fabrics.yaml`."""

from collections.abc import Iterator

from trainshed.catalog.row import Row, open_file
from trainshed.model.catalog import Fabric, PodSecurity


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
        env=row.table("env"),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )
