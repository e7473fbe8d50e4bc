"""What load brings in: specs, the code files that they name, and what is committed."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Generic, TypeVar

from msgspec import Struct

from trainshed.model.diagnostic import Diagnostic
from trainshed.model.files import RenderedObject
from trainshed.model.provenance import Sources
from trainshed.model.source import Source
from trainshed.model.spec import AnySpec, ClusterSpec, PolicySpec, PresetSpec, TeamSpec, TrainingJobSpec
from trainshed.model.tree import Tree

S = TypeVar("S", bound=AnySpec, covariant=True)


class SpecFile(Struct, Generic[S], frozen=True):
    """One spec: where it stands, what it says, and its lifted tree with the place of every word.

    `hash` is that of its bytes.
    """

    path: PurePosixPath
    spec: S
    tree: Tree
    hash: str

    @property
    def name_source(self) -> Source:
        """Where the spec says its name."""
        return self.tree.value_source(("name",))

    @property
    def sources(self) -> Sources:
        """Where each of its fields is written."""
        fields = {path: self.tree.value_source(path) for path in self.tree.marks}
        return Sources(self.name_source, fields, MappingProxyType({}))


class Inputs(Struct, frozen=True):
    """Everything that rendering depends on, sorted by path.

    `code` holds the bytes of the code files that specs name and that could be read; `committed` the bytes
    of everything below `overlays/` and `rendered/`.
    """

    clusters: tuple[SpecFile[ClusterSpec], ...]
    teams: tuple[SpecFile[TeamSpec], ...]
    presets: tuple[SpecFile[PresetSpec], ...]
    jobs: tuple[SpecFile[TrainingJobSpec], ...]
    policies: tuple[SpecFile[PolicySpec], ...]
    code: Mapping[PurePosixPath, bytes]
    committed: Mapping[PurePosixPath, bytes]


class BaseError(Exception):
    """The base, or a file of it, cannot be read."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.summary)
        self.finding = finding


class Base(Struct, frozen=True):
    """What a change is made upon: a commit, and the bytes of the files that it holds below our folders, by path.

    A file is read when it is asked for, which may raise BaseError.
    """

    commit: str
    files: Mapping[PurePosixPath, bytes]


class GivenManifests(Struct, frozen=True):
    """Objects of any origin that are to be judged, and the lines of their files, None for those not to be shown."""

    objects: tuple[RenderedObject, ...]
    lines: Mapping[PurePosixPath, tuple[str | None, ...]]
