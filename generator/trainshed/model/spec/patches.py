"""The escape hatch: exact edits of what is rendered, and further objects that travel with the run."""

from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from trainshed.model.spec.scalars import Name
from trainshed.model.spec.written import Written


class PatchTarget(Written):
    """What a patch is for: objects of a kind, or the pods of a role, or one of their containers."""

    kind: Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*$")] | None = None
    """The kind as Kubernetes spells it; whatever has pods, if only a role or a container is named."""
    name: str | None = None
    """The object's name, where there are several of the kind and only one is meant."""
    role: Name | None = None
    """The pods of this role (master, worker, head, …): the patch starts at their pod template."""
    container: Name | None = None
    """This container of the pods: the patch starts there."""


class Operation(Written):
    """One operation of RFC 6902."""

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    """What is done."""
    path: str
    """Where: a JSON pointer from the target on, such as /spec/template/spec/hostNetwork."""
    from_: str | None = Field(None, alias="from")
    """What is moved or copied, as a JSON pointer from the target on."""
    value: Any = None
    """What is added, replaced with, or expected."""


class Patch(Written):
    """An edit of what is rendered, made last and judged like all the rest."""

    target: PatchTarget
    """What is edited."""
    merge: dict[str, Any] | None = None
    """Laid over the target: maps merge, null removes, lists replace; $append, $replace and $byKey say otherwise."""
    json6902: Annotated[tuple[Operation, ...], Strict(False)] | None = None
    """Operations of RFC 6902, in order."""


Patches = Annotated[tuple[Patch, ...], Strict(False)]
RawObjects = Annotated[tuple[dict[str, Any], ...], Strict(False)]
