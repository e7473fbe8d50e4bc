"""The objects that differ between the two sides, read from their files; a file that is the same is not looked at."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from trainshed.engine.client import Caller
from trainshed.engine.texts import parse
from trainshed.model.manifest import AppId, JsonObject, ObjectId, identify
from trainshed.model.review import Proposal


@dataclass(frozen=True, slots=True)
class Standing:
    """One object in its file, as plain data that nobody changes."""

    app: AppId
    path: PurePosixPath
    identity: ObjectId
    body: JsonObject


@dataclass(frozen=True, slots=True)
class Sides:
    """What stands in the files that differ, before and after; `kept` are those of runs that go on beside a new one."""

    before: tuple[Standing, ...]
    after: tuple[Standing, ...]
    kept: tuple[Standing, ...]


def read_sides(proposal: Proposal, engine: Caller) -> Sides:
    """Every object whose file differs, in the order of paths."""
    paths = proposal.before.keys() | proposal.after.keys()
    differ = {path for path in paths if proposal.before.get(path) != proposal.after.get(path)}
    kept = _files_of_kept_runs(proposal) - differ
    return Sides(
        _read(proposal.before, differ, engine),
        _read(proposal.after, differ, engine),
        _read(proposal.before, kept, engine),
    )


def _files_of_kept_runs(proposal: Proposal) -> set[PurePosixPath]:
    """The files of runs that stand on both sides, in apps that get a further run."""
    begun = {
        AppId(seal.cluster, path.parts[1])
        for path, seal in proposal.seals_after.items()
        if path not in proposal.seals_before
    }
    return {
        app.folder / name
        for path, seal in proposal.seals_before.items()
        if seal.stands and (app := AppId(seal.cluster, path.parts[1])) in begun
        for name in seal.files
    }


def _read(
    files: Mapping[PurePosixPath, bytes], paths: Iterable[PurePosixPath], engine: Caller
) -> tuple[Standing, ...]:
    """The objects in these files; what is none, a person put there, and `check` says so."""
    wanted = sorted(path for path in paths if path in files and path.suffix == ".yaml")
    bodies = parse((files[path].decode("utf-8", "replace") for path in wanted), engine=engine)
    found: list[Standing] = []
    for path, body in zip(wanted, bodies, strict=True):
        if _is_object(body):
            app = AppId(path.parts[1], "/".join(path.parts[2:-1]))
            found.append(Standing(app, path, identify(body), body))
    return tuple(found)


def _is_object(body: object) -> bool:
    if not isinstance(body, dict):
        return False
    metadata = body.get("metadata")
    texts = [body.get("apiVersion"), body.get("kind")]
    texts += [metadata.get("name"), metadata.get("namespace", "")] if isinstance(metadata, dict) else [None]
    return all(isinstance(text, str) for text in texts)
