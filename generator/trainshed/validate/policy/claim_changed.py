"""A claim that is committed keeps its class and access mode, and never shrinks: the API server refuses the rest."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ruamel.yaml import YAML, YAMLError

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.files import Rendered
from trainshed.model.inputs import Inputs
from trainshed.model.quantity import QuantityError, parse_quantity

KEPT = {"storageClassName": "storage class", "accessModes": "access modes"}


def check(rendered: Rendered, inputs: Inputs) -> Iterator[Diagnostic]:
    """A finding for each field of a committed claim that may not change."""
    for one in rendered.objects:
        committed = inputs.committed.get(one.path)
        if one.manifest.identity.kind != "PersistentVolumeClaim" or committed is None:
            continue
        before, after = _read_spec(committed), one.manifest.body["spec"]
        for field, words in KEPT.items():
            if field in before and before[field] != after.get(field):
                yield error(
                    Code.CLAIM_CHANGED,
                    one.manifest.origins.find(f"/spec/{field}"),
                    f"the {words} of {one.manifest.identity} cannot change from {before[field]} to {after.get(field)}",
                    "make a volume of another name and copy the data, or put the old value back",
                )
        if _size(before) > _size(after):
            yield error(
                Code.CLAIM_CHANGED,
                one.manifest.origins.find("/spec/resources"),
                f"{one.manifest.identity} cannot shrink from {_written_size(before)} to {_written_size(after)}",
                "put the old size back: a claim can only grow",
            )


def _read_spec(text: bytes) -> dict[str, Any]:
    try:
        document = YAML(typ="safe").load(text.decode("utf-8", "replace"))
    except YAMLError:
        return {}
    spec = document.get("spec") if isinstance(document, dict) else None
    return spec if isinstance(spec, dict) else {}


def _size(spec: dict[str, Any]) -> Fraction:
    try:
        return parse_quantity(_written_size(spec))
    except QuantityError:
        return Fraction(0)


def _written_size(spec: dict[str, Any]) -> str:
    try:
        return str(spec["resources"]["requests"]["storage"])
    except (KeyError, TypeError):
        return ""
