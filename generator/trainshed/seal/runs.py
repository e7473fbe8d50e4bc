"""The seals themselves: those that stay, and a new one for each run that is rendered."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from msgspec import to_builtins
from msgspec.structs import replace

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error, sort_findings
from trainshed.model.families import LASTING
from trainshed.model.files import Rendered
from trainshed.model.manifest import AppId, Manifests
from trainshed.model.outcome import Outcome
from trainshed.model.plan import Plan, Target
from trainshed.model.seal import DIGEST_VERSION, Seal, SealedRun, hash_files, refuse_change, seal_path
from trainshed.model.source import Source

Files = Mapping[PurePosixPath, bytes]


def seal_runs(
    plan: Plan, compiled: Manifests, rendered: Rendered, before: Files, release: Callable[[], str]
) -> Outcome[Rendered]:
    """What is rendered, with its seals: those that stay, and a new one for each run that was compiled.

    `before` holds what is committed, `release` says which trainshed this is. Findings for sealed files that nothing
    can make again, and for runs that were rendered before and have no seal.
    """
    bases = _bases(rendered)
    compiled_by_app = {app.identity: {one.identity for one in app.manifests} for app in compiled.apps}
    objects = {(one.app, one.manifest.identity): one.path for one in rendered.objects}
    files = dict(rendered.files)
    findings: list[Diagnostic] = []
    for target in plan.targets:
        app = AppId(target.cluster.name, target.app)
        for run in target.life.seals:
            files[run.path] = write_seal(run.seal)
        if target.life.renders and target.backend not in LASTING:
            paths = [objects[app, identity] for identity in compiled_by_app[app]]
            lent = bases.get(app.app, ()) if _leans_on_base(app, rendered) else ()
            seal = _seal(target, paths, lent, rendered, release())
            findings += _check(target.life.renewed, seal, app, rendered, before)
            files[seal_path(app, seal.run)] = write_seal(_same(target.life.renewed, seal) or seal)
    sealed = replace(rendered, files=MappingProxyType(files))
    return Outcome(sealed, sort_findings(findings))


def write_seal(seal: Seal) -> str:
    """The text of a seal's file: what is empty is left out."""
    document = {name: value for name, value in to_builtins(seal).items() if value}
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _seal(
    target: Target,
    paths: Iterable[PurePosixPath],
    lent: Iterable[PurePosixPath],
    rendered: Rendered,
    release: str,
) -> Seal:
    claims = {f"persistentvolumeclaim-{claim.name}" for claim in target.claims}
    contents = {path.name: rendered.files[path].encode() for path in paths}
    own = {name: content for name, content in contents.items() if name.removesuffix(".yaml") not in claims}
    renewed = target.life.renewed
    return Seal(
        team=target.team.name,
        job=target.job,
        cluster=target.cluster.name,
        run=target.run,
        kind=target.backend.carrier.kind,
        attempt=target.attempt,
        digest=target.digest,
        digest_version=DIGEST_VERSION,
        lineage=target.lineage,
        defaults=target.defaults,
        files=hash_files(own.items()),
        claims=hash_files((name, content) for name, content in contents.items() if name not in own),
        shared=hash_files((path.name, rendered.files[path].encode()) for path in lent),
        code=hash_files((file.mounted_as, file.content) for file in target.code_files),
        releases={"trainshed": release, **target.releases},
        resealed=renewed.seal.resealed if renewed else (),
    )


def _same(renewed: SealedRun | None, seal: Seal) -> Seal | None:
    """The seal as it was, if its files were lost and come out as they were."""
    if renewed is None or renewed.renewed or renewed.seal.stopped:
        return None
    old = renewed.seal
    return old if (old.files, old.claims) == (seal.files, seal.claims) else None


def _bases(rendered: Rendered) -> dict[str, list[PurePosixPath]]:
    """The files of each app's base."""
    bases: dict[str, list[PurePosixPath]] = {}
    for path in rendered.files:
        if path.parts[0] == "overlays" and path.parts[2] == "base":
            bases.setdefault(path.parts[1], []).append(path)
    return bases


def _leans_on_base(app: AppId, rendered: Rendered) -> bool:
    """Whether the app's overlay is built upon its base."""
    return (
        "- ../base\n" in rendered.files[PurePosixPath("overlays", app.app, app.cluster, "kustomization.yaml")]
    )


def _check(
    renewed: SealedRun | None, seal: Seal, app: AppId, rendered: Rendered, before: Files
) -> Iterator[Diagnostic]:
    """Whether the run may be rendered: it is new, or somebody asked for it, or it comes out as it was sealed."""
    if renewed is None:
        yield from _missing(seal, app, rendered, before)
    elif not renewed.renewed and not renewed.seal.stopped and _same(renewed, seal) is None:
        yield from (refuse_change(path, seal.run) for path in renewed.broken)


def _missing(seal: Seal, app: AppId, rendered: Rendered, before: Files) -> Iterator[Diagnostic]:
    """A finding where the run's own object is committed, without a seal, and would now change."""
    path = app.folder / f"{seal.kind.lower()}-{seal.run}.yaml"
    if path in before and before[path] != rendered.files[path].encode():
        yield error(
            Code.SEAL_MISSING,
            Source(path),
            f"run {seal.run} was rendered before, and its seal is gone: it would now change",
            "`trainshed render --base origin/main` puts the seal back; if no cluster has ever seen the run, remove "
            f"{path} and render again",
        )
