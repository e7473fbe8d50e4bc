"""Sealed files as manifests, beside those that were compiled."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

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


def join_sealed(
    plan: Plan, compiled: Manifests, engine: Caller, remember: Remember = make_anew
) -> Outcome[Manifests]:
    """All manifests of all apps: what was compiled, and every sealed object, in its own file."""
    sealed = {AppId(target.cluster.name, target.app): target for target in plan.targets if target.life.files}
    shared = dict(_bases(plan.targets))
    files = {path: text for target in sealed.values() for path, text in target.life.files.items()}
    files |= {path: text for run in shared.values() for path, text in _objects_of_base(run)}
    objects = _read(files, engine, remember)
    findings = [_refuse(path) for path in files if path not in objects]
    apps = {app.identity: app for app in compiled.apps}
    for identity, target in sealed.items():
        standing = [objects[path] for path in target.life.files if path in objects]
        rendered = apps.get(identity, AppManifests(identity, ()))
        findings += _clashes(standing, rendered, target.life)
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
    files: Mapping[PurePosixPath, bytes], engine: Caller, remember: Remember
) -> dict[PurePosixPath, Manifest]:
    """The objects in the files; what is none is left out."""
    texts = [content.decode("utf-8", "replace") for content in files.values()]

    def read(new: list[int]) -> Iterator[tuple[ObjectId, str] | None]:
        for body in parse((texts[index] for index in new), engine=engine):
            yield (identify(body), canonical_json(body)) if _is_object(body) else None

    return {
        path: Manifest(*said, Origins(Source(path)), SealedFile(path, text))
        for path, text, said in zip(files, texts, remember("sealed", list(zip(texts)), read), strict=True)
        if said is not None
    }


def expect(rendered: Rendered, remember: Remember) -> None:
    """The next command finds these objects in sealed files: what they hold is known already, and need not be read."""
    new = [one for one in rendered.objects if one.manifest.file is None and one.path in rendered.files]
    known = {rendered.files[one.path]: (one.manifest.identity, one.manifest.text) for one in new}
    texts = list(known)
    remember("sealed", [(text,) for text in texts], lambda new: (known[texts[index]] for index in new))


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
