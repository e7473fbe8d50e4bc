"""Manifests as nodes with their places, before aliases are followed: what YAML and JSON have in common."""

from dataclasses import dataclass
from typing import TypeAlias

from trainshed.load.manifest_scalars import Scalar
from trainshed.model.tree import Spot

MAX_DEPTH = 128
"""Maps and lists within one another: schemas of CRDs come to about forty."""


@dataclass(frozen=True, slots=True, eq=False)
class ScalarNode:
    """A single value; `is_merge` for `<<` without quotes."""

    value: Scalar
    spot: Spot
    is_merge: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MapNode:
    """Keys and values in the order in which they are written."""

    pairs: tuple[tuple["Node", "Node"], ...]
    spot: Spot


@dataclass(frozen=True, slots=True, eq=False)
class ListNode:
    """The items of a list."""

    items: tuple["Node", ...]
    spot: Spot


Node: TypeAlias = ScalarNode | MapNode | ListNode


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file, and the lines from which and up to which it reaches."""

    node: Node
    first_line: int
    last_line: int
