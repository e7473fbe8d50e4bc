"""Nodes to plain data, and the place of each value by its JSON pointer, as kubectl follows aliases and merge keys.

Source: goyaml.v2's decoder below sigs.k8s.io/yaml v1.6.0. What is written last wins, also over a merge key above it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trainshed.load.manifest_nodes import MAX_DEPTH, ListNode, MapNode, Node, ScalarNode
from trainshed.load.words import describe, quote
from trainshed.load.yaml_notes import KEY_TWICE, Note, Notes
from trainshed.model.codes import Code
from trainshed.model.manifest import escape_pointer
from trainshed.model.tree import Spot

MAX_VALUES = 1_000_000
"""Values of one file once its aliases are followed: some times what the largest CRDs hold."""
_POINTER_WEIGHT = 100
"""Characters of a JSON pointer that weigh as much as another value."""

_MANY_VALUES: Note = (
    Code.YAML_ALIASES,
    f"this file comes to more than {MAX_VALUES} values",
    "write out what the aliases stand for, or split the file",
)
_TOO_DEEP: Note = (
    Code.YAML_DEPTH,
    f"aliases nest maps and lists more than {MAX_DEPTH} deep",
    "write out what they stand for",
)
_KEY: Note = (Code.YAML_KEY, "a key cannot be {}", "write it as text, in quotes where it is meant as such")
_MERGE: Note = (
    Code.YAML_MERGE,
    'merge key "<<" takes a map or a list of maps, not {}',
    "write the fields out",
)


@dataclass(slots=True)
class Values:
    """The data of one document, and where each value stands: with its key, where it has one."""

    found: Notes
    places: dict[str, Spot] = field(default_factory=dict[str, Spot])
    num_values: int = 0

    def build(self, node: Node, pointer: str = "", key: Spot | None = None, depth: int = 0) -> Any:
        """The value of a node. Raises EndOfReading where the document is too large or too deep."""
        self._count(node, depth, 1 + len(pointer) // _POINTER_WEIGHT)
        self.places[pointer] = _place(node, key)
        if isinstance(node, ScalarNode):
            return node.value
        if isinstance(node, ListNode):
            return [
                self.build(item, f"{pointer}/{index}", None, depth + 1)
                for index, item in enumerate(node.items)
            ]
        return {
            name: self.build(value, f"{pointer}/{escape_pointer(name)}", spot, depth + 1)
            for name, (spot, value) in self._flatten(node, depth).items()
        }

    def _flatten(self, node: MapNode, depth: int) -> Mapping[str, tuple[Spot, Node]]:
        """The fields of a map with those that it merges."""
        fields: dict[str, tuple[Spot, Node]] = {}
        own: dict[str, Spot] = {}
        for key, value in node.pairs:
            if isinstance(key, ScalarNode) and key.is_merge:
                for merged in self._merged(value):
                    self._count(merged, depth + 1, 1 + len(merged.pairs))
                    fields |= self._flatten(merged, depth + 1)
                continue
            name = self._spell_key(key)
            if name in own:
                self.found.report(KEY_TWICE, key.spot, quote(name), first=own[name])
            elif name is not None:
                own[name] = key.spot
                fields[name] = (key.spot, value)
        return fields

    def _merged(self, node: Node) -> Iterator[MapNode]:
        """The maps behind a merge key, the one that wins last."""
        for part in reversed(node.items) if isinstance(node, ListNode) else (node,):
            if isinstance(part, MapNode):
                yield part
            else:
                self.found.lose(_MERGE, part.spot, describe(_kind(part)))

    def _spell_key(self, key: Node) -> str | None:
        match _kind(key):
            case str() as text:
                return text
            case bool() as choice:
                return str(choice).lower()
            case int() as number:
                return str(number)
            case float() as number if f"{number:.6g}" == str(number):
                return str(number)
            case other:
                self.found.lose(_KEY, key.spot, describe(other))
                return None

    def _count(self, node: Node, depth: int, weight: int) -> None:
        self.num_values += weight
        if self.num_values > MAX_VALUES:
            raise self.found.end(_MANY_VALUES, node.spot)
        if depth > MAX_DEPTH:
            raise self.found.end(_TOO_DEEP, node.spot)


def _place(node: Node, key: Spot | None) -> Spot:
    """A field by its key, and by its value too if that is a single one in the same line."""
    if key is None:
        return node.spot
    line, column, _ = key
    value_line, value_column, width = node.spot
    is_beside = isinstance(node, ScalarNode) and line == value_line and column < value_column
    return (line, column, value_column + width - column) if is_beside else key


def _kind(node: Node) -> Any:
    """What a node is, for a sentence."""
    return node.value if isinstance(node, ScalarNode) else [] if isinstance(node, ListNode) else {}
