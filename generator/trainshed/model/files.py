"""Generated files: the Kustomize tree before hydration, and what is written in the end."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from msgspec import Struct, field

from trainshed.model.manifest import AppId, AppManifests, Manifest


class AppBuild(Struct, frozen=True):
    """The Kustomize files of one app for all its clusters.

    `documents` maps a path to the canonical JSON of what stands in that file; `roots` maps each
    cluster's app to the folder that `kustomize build` is run on, and `expected` to what must come out.
    """

    app: str
    documents: Mapping[PurePosixPath, str]
    roots: Mapping[AppId, PurePosixPath]
    expected: Mapping[AppId, tuple[Manifest, ...]]


class BuildTree(Struct, frozen=True):
    """What hydrate has to build, and the apps that are rendered as they are.

    `written` maps the canonical JSON of sealed objects to the text that they have in their files.
    """

    builds: tuple[AppBuild, ...]
    direct: tuple[AppManifests, ...]
    written: Mapping[str, str] = field(default_factory=dict[str, str])


class RenderedObject(Struct, frozen=True):
    """One object of one app in its final file."""

    app: AppId
    path: PurePosixPath
    manifest: Manifest


class Rendered(Struct, frozen=True):
    """Every generated file with its text, and the objects among them."""

    files: Mapping[PurePosixPath, str]
    objects: tuple[RenderedObject, ...]
