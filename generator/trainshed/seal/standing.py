"""Sealed files as manifests, beside those that were compiled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from msgspec.structs import replace

from trainshed.engine.client import Caller
from trainshed.engine.texts import parse
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.files import Rendered
from trainshed.model.manifest import (
    AppId,
    AppManifests,
    JsonObject,
    Manifest,
    Manifests,
    ObjectId,
    Origins,
    SealedFile,
    canonical_json,
    identify,
)
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan, Target
from trainshed.model.remember import Remember, make_anew
from trainshed.model.seal import Life, SealedRun
from trainshed.model.source import Source

Said: TypeAlias = tuple[ObjectId, str]
"""An object: its identity, and its canonical JSON."""


def join_sealed(
    plan: Plan, compiled: Manifests, engine: Caller, remember: Remember = make_anew
) -> Outcome[Manifests]:
    """All manifests of all apps: what was compiled, and every sealed object, in its own file."""
    lives = {AppId(target.cluster.name, target.app): target.life for target in plan.targets}
    sealed = {identity: held for identity, life in lives.items() if (held := life.files)}
    shared = dict(_bases(plan.targets))
    own = {path: content for held in sealed.values() for path, content in held.items()}
    lent = {path: content for run in shared.values() for path, content in _objects_of_base(run)}
    objects = _read(own, lent, engine, remember)
    findings = [_refuse(path) for path in (*own, *lent) if path not in objects]
    apps = {app.identity: app for app in compiled.apps}
    for identity, held in sealed.items():
        standing = [objects[path] for path in held if path in objects]
        rendered = apps.get(identity, AppManifests(identity, ()))
        findings += _clashes(standing, rendered, lives[identity])
        apps[identity] = _join(standing, rendered)
    bases = {
        app: tuple(
            sorted((objects[path] for path, _ in _objects_of_base(run) if path in objects), key=_identity)
        )
        for app, run in shared.items()
    }
    return Outcome(replace(Manifests.of(apps.values()), bases=bases), sort_findings(findings))


def _bases(targets: Iterable[Target]) -> Iterator[tuple[str, SealedRun]]:
    """By app, a sealed run whose overlay is built upon a base; all of one app share it."""
    for target in targets:
        for run in target.life.standing:
            if run.shared:
                yield target.app, run


def _objects_of_base(run: SealedRun) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files of the base but its kustomization, which is made anew."""
    return ((path, text) for path, text in run.shared.items() if path.name != "kustomization.yaml")


def _read(
    own: Mapping[PurePosixPath, bytes],
    lent: Mapping[PurePosixPath, bytes],
    engine: Caller,
    remember: Remember,
) -> dict[PurePosixPath, Manifest]:
    """The objects in the files; what is none is left out. What a base lends is often what is built upon it."""
    texts = {path: content.decode("utf-8", "replace") for path, content in {**own, **lent}.items()}
    said = _parse(_by_folder({path: texts[path] for path in own}), engine, remember)
    others = {path: texts[path] for path in lent if texts[path] not in said}
    said |= _parse(_by_folder(others), engine, remember)
    return {
        path: Manifest(*known, Origins(Source(path)), SealedFile(path, text))
        for path, text in texts.items()
        if (known := said[text]) is not None
    }


def _by_folder(texts: Mapping[PurePosixPath, str]) -> list[tuple[str, ...]]:
    """The texts of each folder, by the names of their files: what is sealed together is known together."""
    folders: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for path, text in texts.items():
        folders.setdefault(path.parts[:-1], []).append((path.name, text))
    return [tuple(text for _, text in sorted(files)) for files in folders.values()]


def _parse(folders: Sequence[tuple[str, ...]], engine: Caller, remember: Remember) -> dict[str, Said | None]:
    """What each text says, None where it is no object."""

    def parse_anew(new: list[int]) -> Iterator[list[Said | None]]:
        bodies = iter(parse((text for index in new for text in folders[index]), engine=engine))
        for index in new:
            yield [_say(body) for body in islice(bodies, len(folders[index]))]

    answers = remember("sealed", folders, parse_anew)
    return {
        text: said
        for texts, answer in zip(folders, answers, strict=True)
        for text, said in zip(texts, answer, strict=True)
    }


def expect(plan: Plan, rendered: Rendered, remember: Remember) -> None:
    """The next command finds what is compiled now in sealed files: what they hold is known, and need not be read."""
    compiled = (target for target in plan.targets if target.renders_anything)
    apps = {AppId(target.cluster.name, target.app) for target in compiled}
    objects = {one.path: one.manifest for one in rendered.objects if one.app in apps}
    texts = {path: rendered.files[path] for path in objects}
    known = {texts[path]: (made.identity, made.text) for path, made in objects.items()}
    folders = _by_folder(texts)
    remember("sealed", folders, lambda new: ([known[text] for text in folders[index]] for index in new))


def _say(body: Any) -> Said | None:
    return (identify(body), canonical_json(body)) if _is_object(body) else None


def _is_object(body: object) -> bool:
    """Whether it has what identifies an object."""
    if not isinstance(body, dict) or not isinstance(body.get("metadata"), dict):
        return False
    metadata: JsonObject = body["metadata"]
    named = (body.get("apiVersion"), body.get("kind"), metadata.get("name"), metadata.get("namespace", ""))
    return all(isinstance(word, str) for word in named)


def _refuse(path: PurePosixPath) -> Diagnostic:
    return error(
        Code.BAD_SEAL,
        Source(path),
        f"{path.name} is sealed and no object",
        "`trainshed render --base origin/main` puts it back as it was merged",
    )


def _clashes(standing: Iterable[Manifest], rendered: AppManifests, life: Life) -> Iterator[Diagnostic]:
    """Findings for objects of a new run that are those of one that is kept, and would change them."""
    files = {path for run in life.kept for path in run.files}
    kept = {
        manifest.identity: manifest for manifest in standing if manifest.file and manifest.file.path in files
    }
    for manifest in rendered.manifests:
        before = kept.get(manifest.identity)
        if before is not None and not _says_the_same(before, manifest):
            runs = " and ".join(run.seal.run for run in life.kept)
            yield error(
                Code.KEPT_CLASH,
                manifest.origins.whole,
                f"{manifest.identity} belongs to {runs}, kept beside this run, and would change",
                "give it another name, or write `whenEdited: replace`, which ends the run before",
            )


def _says_the_same(before: Manifest, now: Manifest) -> bool:
    """Equal objects, and ConfigMaps that cannot change: their name is a hash of what they hold."""
    if before.text == now.text:
        return True
    old, new = before.body, now.body
    return bool(new.get("immutable")) and [old.get("data"), old.get("immutable")] == [new.get("data"), True]


def _join(standing: list[Manifest], rendered: AppManifests) -> AppManifests:
    """What is sealed goes before what was compiled of the same object."""
    manifests: dict[ObjectId, Manifest] = {one.identity: one for one in (*rendered.manifests, *standing)}
    return replace(rendered, manifests=tuple(sorted(manifests.values(), key=_identity)))


def _identity(manifest: Manifest) -> ObjectId:
    return manifest.identity
