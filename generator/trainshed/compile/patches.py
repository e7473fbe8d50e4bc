"""Patches, made last: on what is compiled for a job, before everything else judges it.

The job's spec says them (docs/patches.md). A finding about a patched place points at the patch's own line.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from jsonpatch import InvalidJsonPatch, JsonPatch, JsonPatchException, JsonPatchTestFailed
from jsonpointer import JsonPointerException, resolve_pointer
from msgspec.structs import replace

from trainshed.compile.merge import PatchError, Touch, merge
from trainshed.compile.templates import PodTemplate, find_templates
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Severity, error
from trainshed.model.manifest import AppManifests, JsonObject, Manifest, Origins, canonical_json
from trainshed.model.patches import Patch
from trainshed.model.plan import Target
from trainshed.model.suggest import did_you_mean

IDENTITY: tuple[tuple[str, ...], ...] = (
    ("apiVersion",),
    ("kind",),
    ("metadata", "name"),
    ("metadata", "namespace"),
)
"""What makes an object one and the same: a patch that changes it would leave the first one behind."""


@dataclass(frozen=True, slots=True)
class _Place:
    """One place that a patch is for: the manifest's number in the app, and the pointer that the patch starts at."""

    number: int
    pointer: str


def patch_app(target: Target, app: AppManifests) -> AppManifests:
    """The app with the job's patches made; each that cannot be is a finding of the app."""
    manifests, findings = list(app.manifests), list(app.findings)
    for patch in target.edits.patches:
        try:
            for place in _find_places(patch, manifests):
                before = manifests[place.number]
                manifests[place.number] = _patched(target, patch, before, place.pointer)
                if manifests[place.number].text == before.text:
                    findings.append(_idle(target, patch, before))
        except PatchError as wrong:
            source = target.sources.find(*wrong.at)
            findings.append(error(Code.BAD_PATCH, source, wrong.summary, wrong.detail))
    return replace(app, manifests=tuple(manifests), findings=tuple(findings))


def _idle(target: Target, patch: Patch, manifest: Manifest) -> Diagnostic:
    return Diagnostic(
        code=Code.BAD_PATCH,
        severity=Severity.WARNING,
        summary=f"the patch changes nothing: the {manifest.identity.kind} is so already",
        source=target.sources.find(*patch.field),
        detail="leave it out",
    )


def _find_places(patch: Patch, manifests: list[Manifest]) -> list[_Place]:
    """Where the patch starts. Raises PatchError where that is nowhere."""
    at = (*patch.field, "target")
    kinds = [manifest.identity.kind for manifest in manifests]
    if patch.kind and patch.kind not in kinds:
        raise PatchError((*at, "kind"), f"the job renders no {patch.kind}", did_you_mean(patch.kind, kinds))
    chosen = [
        (number, manifest)
        for number, manifest in enumerate(manifests)
        if patch.kind in ("", manifest.identity.kind) and patch.name in ("", manifest.identity.name)
    ]
    if not chosen:
        names = [
            manifest.identity.name for manifest in manifests if patch.kind in ("", manifest.identity.kind)
        ]
        raise PatchError(
            (*at, "name"), f'the job renders nothing of name "{patch.name}"', did_you_mean(patch.name, names)
        )
    if not patch.role and not patch.container:
        return [_Place(number, "") for number, _ in chosen]
    templates = [(number, template) for number, one in chosen for template in find_templates(one.body)]
    return list(_find_in_pods(patch, templates))


def _find_in_pods(patch: Patch, templates: list[tuple[int, PodTemplate]]) -> Iterator[_Place]:
    at = (*patch.field, "target")
    of_role = [(number, each) for number, each in templates if patch.role in ("", each.role)]
    if not of_role:
        roles = [template.role for _, template in templates]
        raise PatchError(
            (*at, "role"), f'the run has no pods of role "{patch.role}"', did_you_mean(patch.role, roles)
        )
    if not patch.container:
        yield from (_Place(number, template.pointer) for number, template in of_role)
        return
    found = [
        _Place(number, template.containers[patch.container])
        for number, template in of_role
        if patch.container in template.containers
    ]
    if not found:
        names = [name for _, template in of_role for name in template.containers]
        raise PatchError(
            (*at, "container"),
            f'the pods have no container "{patch.container}"',
            did_you_mean(patch.container, names),
        )
    yield from found


def _patched(target: Target, patch: Patch, manifest: Manifest, start: str) -> Manifest:
    body = manifest.body
    if patch.merge is not None:
        made, touched = _merged(patch, body, start)
    else:
        made, touched = _operated(patch, body, start)
    _check_identity(patch, body, made)
    parts = tuple((touch.pointer, target.sources.find(*touch.at)) for touch in touched)
    known = tuple(part for part in manifest.origins.parts if not _overlaid(part[0], touched))
    origins = Origins(manifest.origins.whole, (*known, *parts))
    return Manifest(manifest.identity, canonical_json(made), origins)


def _overlaid(pointer: str, touched: Iterable[Touch]) -> bool:
    """Whether what a field of the job once said at a place is the patch's word now."""
    return any(pointer == touch.pointer or pointer.startswith(touch.pointer + "/") for touch in touched)


def _merged(patch: Patch, body: JsonObject, start: str) -> tuple[JsonObject, list[Touch]]:
    """The body with the structural merge made at a place."""
    at = (*patch.field, "merge")
    try:
        place, touched = merge(resolve_pointer(body, start), patch.merge or {}, start)
    except PatchError as wrong:
        raise PatchError((*at, *wrong.at), wrong.summary, wrong.detail) from wrong
    made = JsonPatch([{"op": "replace", "path": start, "value": place}]).apply(body)
    return made, [Touch(touch.pointer, (*at, *touch.at)) for touch in touched]


def _operated(patch: Patch, body: JsonObject, start: str) -> tuple[Any, list[Touch]]:
    """The body after the operations of RFC 6902."""
    touched: list[Touch] = []
    for index, operation in enumerate(patch.operations):
        at = (*patch.field, "json6902", index)
        full = {**operation, **{key: start + operation[key] for key in ("path", "from") if key in operation}}
        try:
            body = JsonPatch([full]).apply(body)
        except JsonPatchTestFailed as wrong:
            summary = f"{full['path']} is not what the test expects"
            raise PatchError((*at, "path"), summary, "look at what is rendered now") from wrong
        except (JsonPatchException, InvalidJsonPatch, JsonPointerException) as wrong:
            summary = f"{operation['op']} cannot be done at {full['path'] or 'the whole object'}"
            detail = f"it has to be there before; begin at {start or 'the object'}, and end with /- to append"
            raise PatchError((*at, "path"), summary, detail) from wrong
        if operation["op"] != "test":
            touched.append(Touch(_settled(body, full["path"]), at))
    return body, touched


def _settled(body: Any, pointer: str) -> str:
    """The pointer of what was appended: `-` is the last item now."""
    parent, _, last = pointer.rpartition("/")
    around = resolve_pointer(body, parent) if last == "-" else None
    return f"{parent}/{len(around) - 1}" if isinstance(around, list) else pointer


def _check_identity(patch: Patch, before: JsonObject, after: Any) -> None:
    for path in IDENTITY:
        if _look(before, path) != _look(after, path):
            raise PatchError(
                patch.field,
                f"a patch cannot change {'.'.join(path)}",
                "it would be another object: write it under rawObjects, or use the job's own fields",
            )
    if before["kind"] == "ConfigMap" and before.get("immutable") and before.get("data") != after.get("data"):
        raise PatchError(
            patch.field,
            "a patch cannot change what a ConfigMap of code or parameters holds",
            "its name is a hash of that: change the files, or parameters",
        )


def _look(body: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        body = body.get(step) if isinstance(body, dict) else None
    return body
