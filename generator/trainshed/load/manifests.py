"""Text of manifests, of any origin, to objects with the place of every value: YAML or JSON, lists taken apart."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from trainshed.load.characters import check_characters
from trainshed.load.manifest_json import read_json_documents
from trainshed.load.manifest_nodes import Document
from trainshed.load.manifest_values import Values
from trainshed.load.manifest_yaml import read_yaml_documents
from trainshed.load.words import describe
from trainshed.load.yaml_notes import EndOfReading, Notes
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.files import RenderedObject
from trainshed.model.manifest import AppId, JsonObject, Manifest, ObjectId, Origins, canonical_json
from trainshed.model.source import Source
from trainshed.model.tree import Spot

_BEGIN = "an object begins with apiVersion, kind and metadata"


def read_manifest(
    text: str, path: PurePosixPath, app: AppId
) -> tuple[list[RenderedObject], list[Diagnostic]]:
    """The objects in the order in which they stand, and what cannot be read as one."""
    hidden = check_characters(text, path)
    if hidden:
        return [], list(hidden)
    findings: list[Diagnostic] = []
    documents = read_json_documents(text)
    if documents is None:
        documents, findings = read_yaml_documents(text, path)
    objects: list[RenderedObject] = []
    for document in documents:
        made, wrong = _read_document(document, path, app)
        objects.extend(made)
        findings.extend(wrong)
    return objects, findings


def _read_document(
    document: Document, path: PurePosixPath, app: AppId
) -> tuple[list[RenderedObject], list[Diagnostic]]:
    notes = Notes(path)
    values = Values(notes)
    try:
        data = values.build(document.node)
    except EndOfReading as end:
        return [], [*notes.findings, end.finding]
    objects: list[RenderedObject] = []
    places = list(values.places.items())
    order = {pointer: index for index, (pointer, _) in enumerate(places)}
    for pointer, body in _expand(data, "") if notes.is_whole else ():
        parts = _places_below(places, order[pointer])
        origins = Origins(
            Source(path, *values.places[pointer]),
            tuple((inside, Source(path, *spot)) for inside, spot in parts if inside),
        )
        identity = _identify(body, origins)
        if isinstance(identity, Diagnostic):
            notes.findings.append(identity)
        else:
            objects.append(RenderedObject(app, path, Manifest(identity, canonical_json(body), origins)))
    return objects, notes.findings


def _expand(data: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """The objects of a document by their pointer: those of a `List`, or of a list of one kind, one by one."""
    if data is None and not pointer:
        return
    match data:
        case {"kind": "List", "items": [*items]}:
            named: JsonObject = {}
        case {"kind": str(kind), "apiVersion": version, "items": [*items]} if kind.endswith("List"):
            named = {"apiVersion": version, "kind": kind.removesuffix("List")}
        case _:
            yield pointer, data
            return
    for index, item in enumerate(items):
        known = named if isinstance(item, dict) and "kind" not in item else {}
        yield from _expand({**known, **item} if known else item, f"{pointer}/items/{index}")


def _places_below(places: Sequence[tuple[str, Spot]], start: int) -> Iterator[tuple[str, Spot]]:
    """The places of the value at `start` and of its parts, which follow it, by the pointers inside it."""
    whole, _ = places[start]
    for index in range(start, len(places)):
        pointer, spot = places[index]
        if pointer != whole and not pointer.startswith(f"{whole}/"):
            return
        yield pointer[len(whole) :], spot


def _identify(body: Any, origins: Origins) -> ObjectId | Diagnostic:
    """Who the object is, or why nobody can tell."""
    if not isinstance(body, dict):
        return error(Code.WRONG_TYPE, origins.whole, f"expected an object, found {describe(body)}", _BEGIN)
    metadata: JsonObject = body["metadata"] if isinstance(body.get("metadata"), dict) else {}
    name = "generateName" if metadata.get("name") is None and "generateName" in metadata else "name"
    words = (
        ("apiVersion", body.get("apiVersion")),
        ("kind", body.get("kind")),
        ("metadata.namespace", "" if metadata.get("namespace") is None else metadata["namespace"]),
        (f"metadata.{name}", metadata.get(name)),
    )
    for field, word in words:
        if word is None:
            return error(Code.MISSING_FIELD, origins.whole, f'the object has no "{field}"', _BEGIN)
        if not isinstance(word, str):
            place = origins.find(f"/{field.replace('.', '/')}")
            return error(Code.WRONG_TYPE, place, f"{field} is {describe(word)}, not text", "put it in quotes")
    return ObjectId(*(str(word) for _, word in words))
