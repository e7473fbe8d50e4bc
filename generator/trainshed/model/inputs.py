"""What load brings in: specs, the code files that they name, and what is committed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Generic, TypeVar

from trainshed.model.source import Source
from trainshed.model.spec import ClusterSpec, PresetSpec, TeamSpec, TrainingJobSpec
from trainshed.model.tree import Tree

S = TypeVar("S", bound=ClusterSpec | TeamSpec | PresetSpec | TrainingJobSpec, covariant=True)


@dataclass(frozen=True, slots=True)
class SpecFile(Generic[S]):
    """One spec: where it stands, what it says, and its lifted tree with the place of every word."""

    path: PurePosixPath
    spec: S
    tree: Tree

    @property
    def name_source(self) -> Source:
        """Where the spec says its name."""
        return self.tree.value_source(("name",))


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that rendering depends on, sorted by path.

    `code` holds the bytes of the code files that specs name and that could be read; `committed` the bytes
    of everything below `overlays/` and `rendered/`.
    """

    clusters: tuple[SpecFile[ClusterSpec], ...]
    teams: tuple[SpecFile[TeamSpec], ...]
    presets: tuple[SpecFile[PresetSpec], ...]
    jobs: tuple[SpecFile[TrainingJobSpec], ...]
    code: Mapping[PurePosixPath, bytes]
    committed: Mapping[PurePosixPath, bytes]
