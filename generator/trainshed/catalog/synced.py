"""Rows of `argocd/kinds.yaml`, and the scripts beside it."""

from collections.abc import Iterator, Mapping
from importlib.resources import files

from trainshed.catalog.row import Row, open_file
from trainshed.model.catalog import SyncedKind

TYPES: Mapping[str, str] = {
    "pods": "core/v1/PodSpec",
    "resources": "core/v1/ResourceList",
    "amounts": "core/Quantity",
}
"""Argo CD's names of the types of fields, by the column that lists them (argo-cd `util/argo/normalizers`)."""

QUEUED = 'select(.metadata.labels["kueue.x-k8s.io/queue-name"])'
"""Objects that wait in a queue of Kueue's."""


def read_synced_kinds() -> Iterator[SyncedKind]:
    """Every kind that Argo CD has to be told about, in the order of the file."""
    with open_file("argocd", "kinds.yaml") as file:
        for name, row in file.rows("kinds"):
            with row:
                yield _read_kind(name, row)


def _read_kind(name: str, row: Row) -> SyncedKind:
    group, _, kind = name.rpartition("/")
    fields = {column: row.texts(column) for column in TYPES}
    written = row.texts("written")
    if row.flag("queued", "false"):
        written += tuple(f"{QUEUED} | {_expression(path)}.tolerations" for path in fields["pods"])
    return SyncedKind(
        group=group,
        kind=kind,
        health=_script(row.text("health", "")),
        fields=tuple((path, TYPES[column]) for column, paths in fields.items() for path in paths),
        written=written,
        sources=row.sources(),
    )


def _expression(path: str) -> str:
    """A path as a jq expression that does not mind what is missing."""
    return "." + path.replace("[]", "[]?")


def _script(name: str) -> str:
    folder = files("trainshed.catalog").joinpath("argocd", "health")
    return folder.joinpath(f"{name}.lua").read_text("utf-8") if name else ""
