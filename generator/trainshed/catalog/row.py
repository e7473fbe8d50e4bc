"""Strict reading of the catalogue's data files: every key is known, every row names its sources.

The data is ours, so a mistake in it is a mistake of this program: `CatalogError` is raised, not reported.
"""

from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import cast

from trainshed.catalog.texts import Texts, read_texts
from trainshed.model.catalog import CatalogError, NodeResources, Taint
from trainshed.model.quantity import parse_quantity


class Row:
    """A map of a data file that is read key by key; `close` refuses the keys that nobody asked for."""

    def __init__(self, place: str, cells: Mapping[str, Texts], sources: Mapping[str, str]) -> None:
        self.place = place
        self._cells = dict(cells)
        self._sources = sources

    def __enter__(self) -> "Row":
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None and self._cells:
            raise CatalogError(f"{self.place}: unknown keys {sorted(self._cells)}")

    def has(self, key: str) -> bool:
        """Whether the key is written and not yet read."""
        return key in self._cells

    def holds_map(self, key: str) -> bool:
        """Whether a map stands at the key."""
        return isinstance(self._cells.get(key), dict)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; missing is an error without a default."""
        value = self._cells.pop(key, default)
        if value is None:
            raise CatalogError(f"{self.place}: {key} is missing")
        return self._as_text(key, value)

    def number(self, key: str) -> int:
        """A whole number."""
        return int(self.text(key))

    def flag(self, key: str, default: str | None = None) -> bool:
        """`true` or `false`."""
        value = self.text(key, default)
        if value not in ("true", "false"):
            raise CatalogError(f"{self.place}: {key} is {value}, not true or false")
        return value == "true"

    def amount(self, key: str, scale: int = 1, default: str | None = None) -> int:
        """A Kubernetes quantity times `scale`, as a whole number."""
        return int(parse_quantity(self.text(key, default)) * scale)

    def resources(self) -> NodeResources:
        """The keys `cpu` and `memory`."""
        return NodeResources(self.amount("cpu", 1000), self.amount("memory"))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; nothing written is an empty one."""
        values = self._cells.pop(key, [])
        if not isinstance(values, list):
            raise CatalogError(f"{self.place}: {key} is no list")
        return tuple(self._as_text(key, value) for value in values)

    def table(self, key: str) -> Mapping[str, str]:
        """A map of texts; nothing written is an empty one."""
        return MappingProxyType(
            {name: self._as_text(key, value) for name, value in self._take_map(key).items()}
        )

    def taints(self) -> tuple[Taint, ...]:
        """The key `taints`, each `key=value:Effect` or `key:Effect` as kubectl writes them."""
        return tuple(map(read_taint, self.texts("taints")))

    def sources(self) -> tuple[str, ...]:
        """The key `sources`: names of the file's own list of sources. At least one."""
        names = self.texts("sources")
        unknown = [name for name in names if name not in self._sources]
        if unknown or not names:
            raise CatalogError(f"{self.place}: sources {unknown or 'are missing'}")
        return tuple(self._sources[name] for name in names)

    def row(self, key: str) -> "Row":
        """A map within the row."""
        return Row(f"{self.place}.{key}", self._take_map(key), self._sources)

    def rows(self, key: str) -> Iterator[tuple[str, "Row"]]:
        """The maps of a map, in the order of the file."""
        for name, cells in self._take_map(key).items():
            if not isinstance(cells, dict):
                raise CatalogError(f"{self.place}.{key}.{name}: not a map")
            yield name, Row(f"{self.place}.{key}.{name}", cells, self._sources)

    def _take_map(self, key: str) -> dict[str, Texts]:
        value = self._cells.pop(key, {})
        if not isinstance(value, dict):
            raise CatalogError(f"{self.place}: {key} is no map")
        return value

    def _as_text(self, key: str, value: Texts) -> str:
        if not isinstance(value, str):
            raise CatalogError(f"{self.place}: {key} is no text")
        return value


def read_taint(text: str) -> Taint:
    """`key=value:Effect` or `key:Effect`."""
    rest, _, effect = text.rpartition(":")
    key, _, value = rest.partition("=")
    return Taint(key, value, effect)


def open_file(*path: str) -> Row:
    """One data file of this package as a row; its head `sources` names where its facts come from."""
    return _open(files("trainshed.catalog").joinpath(*path), "/".join(path))


def open_folder(name: str) -> tuple[Row, ...]:
    """The data files of a folder, by name."""
    found = sorted(files("trainshed.catalog").joinpath(name).iterdir(), key=lambda file: file.name)
    return tuple(_open(file, f"{name}/{file.name}") for file in found if file.name.endswith(".yaml"))


def _open(file: Traversable, place: str) -> Row:
    document = read_texts(file.read_bytes())
    if not isinstance(document, dict):
        raise CatalogError(f"{place}: not a map")
    return Row(place, document, cast("Mapping[str, str]", document.pop("sources", {})))
