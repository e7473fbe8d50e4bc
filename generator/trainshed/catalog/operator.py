"""Rows of `operators.yaml`: tables of kinds, features and settings, turned into one value a release."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from trainshed.catalog.row import CatalogError, Row, open_file
from trainshed.model.catalog import Install, InstallForm, Operator, OperatorRelease, ServedKind


@dataclass(frozen=True, slots=True)
class _Dated:
    """A value, and the releases that have it."""

    name: str
    value: str
    releases: frozenset[str]


def read_operators() -> Iterator[Operator]:
    """Every operator, in the order of the file."""
    with open_file("operators.yaml") as file:
        for name, row in file.rows("operators"):
            with row:
                yield _read_operator(name, row)


def _read_operator(name: str, row: Row) -> Operator:
    installs = {version: _read_install(cells) for version, cells in row.rows("releases")}
    kinds = tuple(_read_kinds(row, frozenset(installs)))
    features = tuple(_read_dated(row, "features", "meaning", frozenset(installs)))
    settings = tuple(_read_dated(row, "settings", "value", frozenset(installs)))
    return Operator(
        name=name,
        title=row.text("title"),
        namespace=row.text("namespace"),
        releases=MappingProxyType(
            {
                version: OperatorRelease(
                    operator=name,
                    version=version,
                    kinds=tuple(kind for kind, known in kinds if version in known),
                    features=frozenset(feature.name for feature in features if version in feature.releases),
                    settings=MappingProxyType(
                        {each.name: each.value for each in settings if version in each.releases}
                    ),
                    install=install,
                )
                for version, install in installs.items()
            }
        ),
        features=MappingProxyType({feature.name: feature.value for feature in features}),
        sources=row.sources(),
        unconfirmed=row.texts("unconfirmed"),
    )


def _read_install(row: Row) -> Install:
    with row:
        return Install(
            repo_url=row.text("repoURL"),
            revision=row.text("revision"),
            path=row.text("path"),
            form=InstallForm(row.text("form")),
        )


def _read_kinds(row: Row, versions: frozenset[str]) -> Iterator[tuple[ServedKind, frozenset[str]]]:
    for kind, cells in row.rows("kinds"):
        with cells:
            framework = cells.text("kueue", "")
            for api_version, known in _split(cells, "apiVersion", versions):
                yield ServedKind(kind, api_version, framework), known


def _read_dated(row: Row, key: str, value: str, versions: frozenset[str]) -> Iterator[_Dated]:
    for name, cells in row.rows(key):
        with cells:
            for text, known in _split(cells, value, versions):
                yield _Dated(name, text, known)


def _split(row: Row, key: str, versions: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """One value and `in`, its releases (all where nothing is said); or a map from release to value."""
    if row.holds_map(key):
        for version, text in row.table(key).items():
            yield text, _known(row, [version], versions)
    else:
        yield row.text(key), _known(row, row.texts("in"), versions) or versions


def _known(row: Row, named: list[str] | tuple[str, ...], versions: frozenset[str]) -> frozenset[str]:
    unknown = set(named) - versions
    if unknown:
        raise CatalogError(f"{row.place}: no such release {sorted(unknown)}")
    return frozenset(named)
