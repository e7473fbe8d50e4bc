"""Rows of `fetchers.yaml`."""

from collections.abc import Iterator

from trainshed.catalog.row import Row, open_file
from trainshed.model.catalog import Fetcher


def read_fetchers() -> Iterator[Fetcher]:
    """Every tool that fetches data, in the order of the file."""
    with open_file("fetchers.yaml") as file:
        for scheme, row in file.rows("fetchers"):
            with row:
                yield _read_fetcher(scheme, row)


def _read_fetcher(scheme: str, row: Row) -> Fetcher:
    return Fetcher(
        scheme=scheme,
        title=row.text("title"),
        image=row.text("image", ""),
        command=row.texts("command"),
        env=row.table("env"),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )
