"""One object belongs to one app: two apps of a cluster that own it would undo each other for ever."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.model.manifest import ObjectId
from trainshed.validate.view import ClusterView, Member


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at the second owner."""
    owners: dict[ObjectId, Member] = {}
    for member in view.members:
        first = owners.setdefault(member.identity, member)
        if first is not member:
            yield error(
                Code.OBJECT_TWICE,
                member.at(),
                f"{member.identity}{_place(view)} {_ownership(first, member)}",
                "give one of them another name",
                [Related(first.at(), "the first owner")],
            )


def _place(view: ClusterView) -> str:
    return f" of {view.name}" if view.name else ""


def _ownership(first: Member, second: Member) -> str:
    if first.app == second.app:
        return "is there twice"
    return f"belongs to {first.app} and to {second.app}"
