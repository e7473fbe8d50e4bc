"""Rows of `operators/*.yaml`: tables of kinds, features and settings, turned into one value a release.

What the files say was read in the releases' own source, unless they say otherwise. In every table `in` names the
releases that have the row; all have it without, none with `[]`. One text goes for all releases, or a map has one
for each.

`releases`: where Argo CD finds each: `path` in `repoURL` at the tag `revision`, and `crds`, a second path.
`kinds`: the apiVersion to write; `kueue` is the framework name of Kueue's integration.
`features`: what only some releases can do, or do without being asked; `fields` are the fields that ask for it.
`settings`: the release's own names of the things that we configure:

- `release-name`: the Helm release's name, which the names of the chart's objects begin with
- `deployment`, `container`: the operator's Deployment and the container in it
- `image`, `tag`: the release's image. The git trees of Kueue and JobSet point at moving tags in a staging registry
  ("release-0.19", "main"): it must be set
- `image-value`, `tag-value`: the Helm values that set it, one where image and tag are one text; for Kustomize the
  image's name in the manifests
- `registry`, `registry-value`: what a chart puts before its images, and the Helm value that says so
- `other-images`: further images of the chart, `value=image` each; read where the cluster has a mirror
- `image-flags`: images that the operator puts into pods, `--flag=image` each
- `metrics-pods`, `metrics-port`: the operator's pods by their labels, and the number of the port of their metrics;
  `metrics-services` and the port's name where a service stands before them, over TLS and for who may read them
- `pod-security`: the level that the operator's namespace needs, where it is not the cluster's own
- `config-value`, `config-api-version`: the Helm value that takes the operator's whole configuration file, and the
  apiVersion of that file
- `frameworks`: the integrations that the release registers
- `scheduler-name`: what pods write as schedulerName
- `scheduler-config-value`, `controller-config-value`: Helm values that take a configuration file of the operator's
- `gang-scheduler-flag`, `scheduler-value`: the flag or Helm value that names the gang scheduler to work with
- `bundled-jobset-value`: the Helm value that brings a JobSet along
"""

from collections.abc import Iterator
from types import MappingProxyType

from trainshed.catalog.row import Row, open_folder
from trainshed.model.catalog import (
    CatalogError,
    Feature,
    Install,
    InstallForm,
    ManifestField,
    Operator,
    OperatorRelease,
    ServedKind,
)


def read_operators() -> Iterator[Operator]:
    """Every operator of every file, in the order of the files."""
    for file in open_folder("operators"):
        with file:
            for name, row in file.rows("operators"):
                with row:
                    yield _read_operator(name, row)


def _read_operator(name: str, row: Row) -> Operator:
    installs = {version: _read_install(cells) for version, cells in row.rows("releases")}
    versions = frozenset(installs)
    kinds = tuple(_read_kinds(row, versions))
    features = tuple(_read_features(row, versions))
    settings = tuple(_read_settings(row, versions))
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
                    features=frozenset(feature.name for feature, known in features if version in known),
                    missing=frozenset(feature.name for feature, known in features if version not in known),
                    settings=MappingProxyType(
                        {key: value for key, value, known in settings if version in known}
                    ),
                    install=install,
                )
                for version, install in installs.items()
            }
        ),
        features=MappingProxyType({feature.name: feature for feature, _ in features}),
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
            crds=row.text("crds", ""),
        )


def _read_kinds(row: Row, versions: frozenset[str]) -> Iterator[tuple[ServedKind, frozenset[str]]]:
    for kind, cells in row.rows("kinds"):
        with cells:
            framework = cells.text("kueue", "")
            for api_version, known in _split(cells, "apiVersion", versions):
                yield ServedKind(kind, api_version, framework), known


def _read_features(row: Row, versions: frozenset[str]) -> Iterator[tuple[Feature, frozenset[str]]]:
    for name, cells in row.rows("features"):
        with cells:
            fields = tuple(read_field(text) for text in cells.texts("fields"))
            yield Feature(name, cells.text("meaning"), fields), _releases(cells, versions)


def _read_settings(row: Row, versions: frozenset[str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    for name, cells in row.rows("settings"):
        with cells:
            for value, known in _split(cells, "value", versions):
                yield name, value, known


def read_field(text: str) -> ManifestField:
    """`RayJob /spec/managedBy`, or `RayJob /spec/submissionMode=SidecarMode` for that value alone."""
    kind, _, place = text.partition(" ")
    pointer, _, value = place.partition("=")
    if not (kind and pointer.startswith("/")):
        raise CatalogError(f"{text}: not a kind and a JSON pointer")
    return ManifestField(kind, pointer, value)


def _split(row: Row, key: str, versions: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """A value and the releases that have it, or one for each release that the map names."""
    if row.holds_map(key):
        for version, text in row.table(key).items():
            yield text, _known(row, [version], versions)
    else:
        yield row.text(key), _releases(row, versions)


def _releases(row: Row, versions: frozenset[str]) -> frozenset[str]:
    """The key `in`; all releases where it is not written."""
    return _known(row, row.texts("in"), versions) if row.has("in") else versions


def _known(row: Row, named: list[str] | tuple[str, ...], versions: frozenset[str]) -> frozenset[str]:
    unknown = set(named) - versions
    if unknown:
        raise CatalogError(f"{row.place}: no such release {sorted(unknown)}")
    return frozenset(named)
