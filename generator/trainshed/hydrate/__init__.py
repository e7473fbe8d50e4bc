"""Kustomize files in, rendered files out: built by Kustomize itself, and proven to give back what was compiled.

May use the engine.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from trainshed.engine.batches import batches
from trainshed.engine.client import Caller
from trainshed.engine.kustomize import build_many
from trainshed.engine.messages import Build, BuildResult
from trainshed.engine.texts import emit
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.files import AppBuild, BuildTree, Rendered, RenderedObject
from trainshed.model.manifest import AppId, Manifest, ObjectId, canonical_json, identify, name_files
from trainshed.model.outcome import Outcome
from trainshed.model.remember import Remember, make_anew
from trainshed.model.source import Source

__all__ = ["hydrate_tree"]

_BLAMED = re.compile(r"name reference in '(?P<path>[^']+)' field of '(?P<object>[^']+)'")
"""Whose field Kustomize could not read (`api/filters/nameref/nameref.go`)."""

BUILDS_PER_ROUND = 1024
"""What is built is compared and let go, round by round: it would take twice the memory of what is kept."""


def hydrate_tree(
    tree: BuildTree,
    before: Mapping[PurePosixPath, bytes],
    engine: Caller,
    remember: Remember = make_anew,
) -> Outcome[Rendered]:
    """Every generated file with its text, and the rendered objects.

    `before` holds the generated files that are committed: what is built from the very same files is not built again.
    """
    objects = list(_rendered_objects(tree))
    documents = {path: text for build in tree.builds for path, text in build.documents.items()}
    documents |= {one.path: one.manifest.text for one in objects if not one.manifest.file}
    files = _write_texts(documents, tree.written, engine, remember)
    files |= {one.path: one.manifest.file.text for one in objects if one.manifest.file}
    new = [build for build in tree.builds if not _is_built(build, files, before)]
    return Outcome(
        Rendered(MappingProxyType(files), tuple(objects)),
        sort_findings(_check_builds(new, files, engine, remember)),
    )


def _is_built(
    build: AppBuild, files: Mapping[PurePosixPath, str], before: Mapping[PurePosixPath, bytes]
) -> bool:
    """Whether every object of the app is sealed, and its overlays are those that were built when it was."""
    manifests = (manifest for one in build.expected.values() for manifest in one)
    return all(manifest.file for manifest in manifests) and all(
        before.get(path) == files[path].encode() for path in build.documents
    )


def _rendered_objects(tree: BuildTree) -> Iterator[RenderedObject]:
    apps = [(app, manifests) for build in tree.builds for app, manifests in build.expected.items()]
    apps += [(direct.identity, direct.manifests) for direct in tree.direct]
    for app, manifests in apps:
        names, folder = name_files(manifests), app.folder
        for manifest in manifests:
            path = manifest.file.path if manifest.file else folder / names[manifest.identity]
            yield RenderedObject(app, path, manifest)


def _write_texts(
    documents: Mapping[PurePosixPath, str], written: Mapping[str, str], engine: Caller, remember: Remember
) -> dict[PurePosixPath, str]:
    """Each distinct document is written once: a base and what is rendered from it are often the same."""
    distinct = [document for document in dict.fromkeys(documents.values()) if document not in written]
    emitted = remember(
        "text",
        [(document,) for document in distinct],
        lambda new: emit((json.loads(distinct[index]) for index in new), engine=engine),
    )
    texts = dict(zip(distinct, emitted, strict=True))
    return {path: texts.get(document) or written[document] for path, document in documents.items()}


def _check_builds(
    builds: Sequence[AppBuild], files: Mapping[PurePosixPath, str], engine: Caller, remember: Remember
) -> list[Diagnostic]:
    """Whether Kustomize, given the very texts that are committed, builds exactly what was compiled."""
    questions = [tuple(_say_build(build, files)) for build in builds]
    found = remember(
        "build",
        questions,
        lambda new: _find_wrong([builds[index] for index in new], files, engine),
    )
    return [finding for wrong in found for finding in wrong]


def _say_build(build: AppBuild, files: Mapping[PurePosixPath, str]) -> Iterator[str]:
    """What Kustomize is given, what must come out, and which lines are to blame where it does not."""
    for path in build.documents:
        yield from (str(path), files[path])
    for app, manifests in build.expected.items():
        yield from (repr(app), str(build.roots[app]))
        yield from (word for one in manifests for word in (one.text, repr(one.origins)))


def _find_wrong(
    builds: Iterable[AppBuild], files: Mapping[PurePosixPath, str], engine: Caller
) -> Iterator[list[Diagnostic]]:
    for pending in batches(builds, BUILDS_PER_ROUND):
        requests = [
            Build({str(path): files[path] for path in build.documents}, tuple(map(str, build.roots.values())))
            for build in pending
        ]
        results = iter(build_many(requests, engine=engine))
        for build in pending:
            yield [finding for app in build.roots for finding in _check_build(build, app, next(results))]


def _check_build(build: AppBuild, app: AppId, result: BuildResult) -> Iterator[Diagnostic]:
    expected = {manifest.identity: manifest for manifest in build.expected[app]}
    root = build.roots[app]
    if result.problem is not None:
        blamed = _find_blamed(result.problem.message, expected.values())
        if blamed is not None:
            yield blamed
            return
        place = PurePosixPath(result.problem.path) if result.problem.path else root / "kustomization.yaml"
        yield error(
            Code.BUILD_FAILED,
            Source(place, max(result.problem.line, 1)),
            f"Kustomize cannot build {root}",
            f"{result.problem.message}; this is a fault of trainshed, please report it",
        )
        return
    built = {identify(body): canonical_json(body) for body in result.objects}
    for identity in sorted(built.keys() | expected.keys()):
        manifest = expected.get(identity)
        if manifest is None or built.get(identity) != manifest.text:
            yield error(
                Code.BUILD_DIFFERS,
                manifest.origins.whole if manifest else Source(root / "kustomization.yaml"),
                f"{root} does not build the {identity} that was compiled",
                "this is a fault of trainshed, please report it",
            )


def _find_blamed(message: str, manifests: Iterable[Manifest]) -> Diagnostic | None:
    """A finding where people wrote something else than what Kustomize follows names through."""
    said = _BLAMED.search(message)
    if said is None:
        return None
    for manifest in manifests:
        if _spell(manifest.identity) == said["object"]:
            place = _deepest(manifest.body, said["path"].split("/"))
            return error(
                Code.WRONG_TYPE,
                manifest.origins.find("".join(f"/{step}" for step in place)),
                f"{'.'.join(place)} of {manifest.identity} is nothing that Kubernetes has there",
                "write the map or the list that kubectl explain shows",
            )
    return None


def _spell(identity: ObjectId) -> str:
    """The object as Kustomize names it (`kyaml/resid/resid.go`)."""
    group, _, version = identity.api_version.rpartition("/")
    kind = f"{identity.kind}.{version}.{group or '[noGrp]'}"
    return f"{kind}/{identity.name}.{identity.namespace or '[noNs]'}"


def _deepest(value: Any, path: Iterable[str]) -> list[str]:
    """As much of the path as leads to something."""
    found: list[str] = []
    for step in path:
        if not isinstance(value, dict) or step not in value:
            break
        value = value[step]
        found.append(step)
    return found
