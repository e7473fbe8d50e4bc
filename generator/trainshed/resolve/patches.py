"""The escape hatch: patches and raw objects, checked as far as their own words go."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trainshed.model.codes import Code
from trainshed.model.manifest import JsonObject
from trainshed.model.patches import Edits, Patch, RawObject
from trainshed.model.provenance import FieldPath
from trainshed.model.secrets import find_secret
from trainshed.model.spec.patches import Operation
from trainshed.model.spec.patches import Patch as WrittenPatch
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import refuse_secret

NEEDED: Mapping[str, str] = {
    "add": "value",
    "replace": "value",
    "test": "value",
    "move": "from",
    "copy": "from",
}
"""What each operation of RFC 6902 needs beside its path."""

IDENTITY = ("apiVersion", "kind")
IDENTITIES: Mapping[tuple[str, ...], re.Pattern[str]] = {
    ("apiVersion",): re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?v[a-z0-9]+"),
    ("kind",): re.compile(r"[A-Z][A-Za-z0-9]*"),
    ("metadata", "name"): re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,251}[A-Za-z0-9])?"),
}
"""What an object is called, which also names its file."""


def resolve_edits(draft: Draft, namespace: str) -> Edits:
    """The patches and raw objects in the order in which they are written."""
    patches = (
        _patch(draft, patch, ("patches", index)) for index, patch in enumerate(draft.body.patches or ())
    )
    objects = (
        _raw_object(draft, dict(body), ("rawObjects", index), namespace)
        for index, body in enumerate(draft.body.raw_objects or ())
    )
    return Edits(tuple(patches), tuple(made for made in objects if made is not None))


def _patch(draft: Draft, written: WrittenPatch, field: FieldPath) -> Patch:
    target = written.target
    if not (target.kind or target.role or target.container):
        draft.refuse(
            Code.MISSING_CHOICE,
            (*field, "target"),
            "the patch does not say what it is for",
            "write target: {kind: PyTorchJob}, or {role: worker}, or {container: …}",
        )
    if not written.merge and not written.json6902:
        draft.refuse(
            Code.MISSING_CHOICE, field, "the patch changes nothing", "write merge: {…} or json6902: […]"
        )
    if written.merge and written.json6902:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*field, "json6902"),
            "the patch says merge and json6902",
            "write two patches: they are made in their order",
        )
    operations = tuple(
        _operation(draft, operation, (*field, "json6902", index))
        for index, operation in enumerate(written.json6902 or ())
    )
    _check_secrets(draft, written.merge, (*field, "merge"))
    return Patch(
        kind=target.kind or "",
        name=target.name or "",
        role=target.role or "",
        container=target.container or "",
        merge=written.merge,
        operations=operations,
        field=field,
    )


def _operation(draft: Draft, written: Operation, field: FieldPath) -> JsonObject:
    """One operation as RFC 6902 spells it."""
    needed = NEEDED.get(written.op)
    given = {"from": written.from_, "value": written.value}
    if needed is not None and given[needed] is None:
        draft.refuse(
            Code.MISSING_FIELD,
            (*field, "op"),
            f"{written.op} needs {needed}",
            f"write {needed}: …; to take something away, write op: remove",
        )
    for unused in sorted({"from", "value"} - {needed}):
        if given[unused] is not None:
            draft.refuse(
                Code.CONFLICTING_CHOICE, (*field, unused), f"{written.op} takes no {unused}", "leave it out"
            )
    for name, pointer in (("path", written.path), ("from", written.from_)):
        if pointer and not pointer.startswith("/"):
            draft.refuse(
                Code.BAD_PATH,
                (*field, name),
                f'"{pointer}" is not a JSON pointer',
                'begin with "/"; in a name, write ~1 for "/" and ~0 for "~"',
            )
    _check_secrets(draft, written.value, (*field, "value"))
    return {"op": written.op, "path": written.path} | ({needed: given[needed]} if needed else {})


def _raw_object(draft: Draft, body: JsonObject, field: FieldPath, namespace: str) -> RawObject | None:
    metadata = body.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    said = [isinstance(body.get(key), str) for key in IDENTITY]
    if not all(said) or not isinstance(name, str) or not isinstance(metadata, dict):
        draft.refuse(
            Code.MISSING_FIELD,
            field,
            "the object does not say what it is",
            "write apiVersion, kind and metadata: {name: …}",
        )
        return None
    for path, pattern in IDENTITIES.items():
        text = name if path[0] == "metadata" else body[path[0]]
        if not pattern.fullmatch(text):
            draft.refuse(
                Code.BAD_NAME,
                (*field, *path),
                f'"{text}" is no {path[-1]} that Kubernetes takes',
                "write it as kubectl get prints it",
            )
            return None
    for words in ("labels", "annotations"):
        if not _is_map_of_texts(metadata.get(words, {})):
            draft.refuse(
                Code.WRONG_TYPE,
                (*field, "metadata", words),
                f"{words} are a map of texts",
                "write {key: value}",
            )
            return None
    if metadata.get("namespace", namespace) != namespace:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            (*field, "metadata", "namespace"),
            f'the object is for namespace "{metadata["namespace"]}", the run lives in "{namespace}"',
            "leave it out: the object goes where the run goes",
        )
    if body["kind"] == "Secret":
        refuse_secret(draft, (*field, "kind"), "a Secret would stand in Git in clear")
    _check_secrets(draft, body, field)
    for path in _nulls(body, field):
        draft.refuse(Code.BAD_VALUE, path, "null means nothing to the API server", "leave it out")
    return RawObject({**body, "metadata": {**metadata, "namespace": namespace}}, field)


def _check_secrets(draft: Draft, value: Any, field: FieldPath) -> None:
    for path, text in _texts(value, field):
        if find_secret(text):
            refuse_secret(draft, path, f"{field[0]} hold a secret in clear")


def _is_map_of_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _nulls(value: Any, field: FieldPath) -> Iterator[FieldPath]:
    """The way to every null in plain data."""
    for step, item in _steps(value):
        if item is None:
            yield (*field, step)
        yield from _nulls(item, (*field, step))


def _texts(value: Any, field: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    """Every text in plain data, and the way to it."""
    if isinstance(value, str):
        yield field, value
    for step, item in _steps(value):
        yield from _texts(item, (*field, step))


def _steps(value: Any) -> Iterable[tuple[str | int, Any]]:
    """The keys and items of a map or a list; nothing of anything else."""
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
