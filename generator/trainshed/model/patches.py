"""Edits of what is rendered, and objects that travel with a run, as people wrote them."""

from msgspec import Struct

from trainshed.model.manifest import JsonObject, canonical_json
from trainshed.model.provenance import FieldPath


class Patch(Struct, frozen=True):
    """An edit of the objects of a kind, of the pods of a role, or of a container; empty where it is not said.

    It is a structural merge, or else operations of RFC 6902. `field` is where the job says it.
    """

    kind: str
    name: str
    role: str
    container: str
    merge: JsonObject | None
    operations: tuple[JsonObject, ...]
    field: FieldPath


class RawObject(Struct, frozen=True):
    """An object as somebody wrote it, in the namespace of the run."""

    body: JsonObject
    field: FieldPath


class Edits(Struct, frozen=True):
    """What leaves the grammar: made last, and judged like all the rest."""

    patches: tuple[Patch, ...]
    raw_objects: tuple[RawObject, ...]

    @property
    def fingerprint(self) -> str:
        """The patches as text, for names of what they may change; nothing where there are none."""
        words = [
            (patch.kind, patch.name, patch.role, patch.container, patch.merge, patch.operations)
            for patch in self.patches
        ]
        return canonical_json(words) if words else ""
