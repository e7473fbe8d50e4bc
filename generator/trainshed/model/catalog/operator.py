"""The catalogue's operators: their releases, the kinds these serve, what they can do, and how they are installed."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from trainshed.model.catalog.error import CatalogError


class InstallForm(StrEnum):
    """What Argo CD makes of an upstream folder."""

    HELM = "helm"
    KUSTOMIZE = "kustomize"


class ServedKind(Struct, frozen=True, order=True):
    """A kind that an operator release serves. `kueue_framework` is empty where Kueue has no integration."""

    kind: str
    api_version: str
    kueue_framework: str = ""


class ManifestField(Struct, frozen=True):
    """A field of a manifest: a JSON pointer in a kind, `*` for any entry; and its value where one alone is meant."""

    kind: str
    pointer: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.pointer}" + (f"={self.value}" if self.value else "")


class Feature(Struct, frozen=True):
    """What an operator can do in some of its releases, and the fields that ask for it, if fields do."""

    name: str
    meaning: str
    fields: tuple[ManifestField, ...] = ()


class Install(Struct, frozen=True, kw_only=True):
    """Where Argo CD finds an upstream release: `path` in `repo_url` at the tag `revision`.

    `crds` is a second path, of the CRDs that the first leaves out.
    """

    repo_url: str
    revision: str
    path: str
    form: InstallForm
    crds: str = ""


class OperatorRelease(Struct, frozen=True, kw_only=True):
    """One release of an operator: what it serves, what it can do, how it is installed and configured.

    `features` and `missing` share the keys of `Operator.features` out. `settings` are the release's own names of
    the things that we configure (`deployment`, `container`, `config-value`, …); `trainshed.catalog.operator` says
    what each is.
    """

    operator: str
    version: str
    kinds: tuple[ServedKind, ...]
    features: frozenset[str]
    missing: frozenset[str]
    settings: Mapping[str, str]
    install: Install

    def serves(self, kind: str) -> ServedKind | None:
        """The kind as this release serves it, or None."""
        return next((served for served in self.kinds if served.kind == kind), None)

    def can(self, feature: str) -> bool:
        """Whether this release has the feature. Raises `CatalogError` for a name that the operator's table lacks."""
        if feature not in self.features | self.missing:
            raise CatalogError(f"{self.operator} has no feature {feature}")
        return feature in self.features


class Operator(Struct, frozen=True, kw_only=True):
    """An operator, its namespace, the releases that are known, oldest first, and what its features mean."""

    name: str
    title: str
    namespace: str
    releases: Mapping[str, OperatorRelease]
    features: Mapping[str, Feature]
    sources: tuple[str, ...]
    unconfirmed: tuple[str, ...]

    @property
    def newest(self) -> OperatorRelease:
        """The last release that is known."""
        return tuple(self.releases.values())[-1]
