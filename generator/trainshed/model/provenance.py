"""Which line each resolved value comes from."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field

from trainshed.model.source import Source

FieldPath: TypeAlias = tuple[str | int, ...]
"""The way to a value in a spec: ("data", "transactions", "mountPath")."""


class Sources(Struct, frozen=True):
    """The source of every field that somebody wrote, and of the whole spec for those that nobody did.

    `layers` says for each field in whose words it was written: the job itself, a preset, the team. `values` holds
    what was written, for fields that are not maps.
    """

    whole: Source
    fields: Mapping[FieldPath, Source]
    layers: Mapping[FieldPath, str]
    values: Mapping[FieldPath, Any] = field(default_factory=dict[FieldPath, Any])

    def find(self, *path: str | int) -> Source:
        """Where the field was written; else the nearest map that encloses it; else the whole spec."""
        for end in range(len(path), 0, -1):
            source = self.fields.get(path[:end])
            if source is not None:
                return source
        return self.whole

    def has(self, *path: str | int) -> bool:
        """Whether anybody wrote this very field."""
        return path in self.fields
