"""A claim that is there keeps its class and access mode, and never shrinks: the API server refuses the rest."""

from collections.abc import Iterator
from fractions import Fraction

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import QuantityError, parse_quantity
from trainshed.validate.view import ClusterView

WORDS = {"storageClassName": "storage class", "accessModes": "access modes"}


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding for each field of a claim on the base branch that may not change."""
    yield from _moved(view)
    for claim in view.of_kind("PersistentVolumeClaim"):
        before = _spec(view.before.get(claim.identity))
        after = _spec(claim.body)
        for field in sorted(before.keys() - {"resources"}):
            if before[field] != after.get(field):
                yield error(
                    Code.CLAIM_CHANGED,
                    claim.at(f"/spec/{field}"),
                    f"the {WORDS.get(field, field)} of {claim.identity} cannot change "
                    f"from {before[field]} to {after.get(field)}",
                    "make a volume of another name and copy the data, or put the old value back",
                )
        if _size(before) > _size(after):
            yield error(
                Code.CLAIM_CHANGED,
                claim.at("/spec/resources"),
                f"{claim.identity} cannot shrink from {_written_size(before)} to {_written_size(after)}",
                "put the old size back: a claim can only grow",
            )


def _moved(view: ClusterView) -> Iterator[Diagnostic]:
    """Findings for claims that went from one namespace and came in another: the data stays where it was."""
    standing = {claim.identity for claim in view.of_kind("PersistentVolumeClaim")}
    gone = {
        identity.name: identity.namespace
        for identity in view.before.keys() - standing
        if identity.kind == "PersistentVolumeClaim"
    }
    for claim in view.of_kind("PersistentVolumeClaim"):
        if claim.identity.name in gone and claim.identity not in view.before:
            before = gone[claim.identity.name]
            yield error(
                Code.CLAIM_CHANGED,
                claim.at("/metadata/namespace"),
                f"claim {claim.identity.name} cannot move from namespace {before} to {claim.namespace}",
                f"its data would stay behind in {before}, and an empty claim would be made: put the namespace back, or "
                "make a volume of another name and copy the data",
            )


def _spec(body: JsonObject | None) -> JsonObject:
    spec = body.get("spec") if body else None
    return spec if isinstance(spec, dict) else {}


def _size(spec: JsonObject) -> Fraction:
    try:
        return parse_quantity(_written_size(spec))
    except QuantityError:
        return Fraction(0)


def _written_size(spec: JsonObject) -> str:
    try:
        return str(spec["resources"]["requests"]["storage"])
    except (KeyError, TypeError):
        return ""
