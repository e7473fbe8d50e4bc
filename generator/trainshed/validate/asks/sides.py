"""The objects of both sides of a change, cluster by cluster: what was merged, and what is rendered now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from msgspec.structs import astuple

from trainshed.engine.client import Caller
from trainshed.engine.texts import parse
from trainshed.model.files import Rendered
from trainshed.model.manifest import Origins, identify
from trainshed.model.source import Source
from trainshed.validate.members import members_by_cluster
from trainshed.validate.view import Member

_DEPTH = 4
"""Parts of `rendered/<cluster>/<app>/<file>`, at least."""


@dataclass(frozen=True, slots=True)
class Members:
    """One cluster's objects before and after."""

    before: tuple[Member, ...]
    after: tuple[Member, ...]


def read_members(
    rendered: Rendered, base: Mapping[PurePosixPath, bytes], engine: Caller
) -> dict[str, Members]:
    """By cluster. A file of the base that is the same now is not read again; what is no object is left out."""
    after = {name: _sorted(members) for name, members in members_by_cluster(rendered.objects)}
    now = {member.path: member for members in after.values() for member in members}
    before: dict[str, list[Member]] = {name: [] for name in after}
    other: list[tuple[PurePosixPath, str]] = []
    for path in sorted(filter(_is_rendered, base)):
        content = base[path]
        if path in now and content == rendered.files[path].encode():
            before.setdefault(path.parts[1], []).append(now[path])
        else:
            other.append((path, content.decode("utf-8", "replace")))
    for member in _read(other, engine):
        before.setdefault(member.path.parts[1], []).append(member)
    return {name: Members(_sorted(members), after.get(name, ())) for name, members in sorted(before.items())}


def _sorted(members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(sorted(members, key=lambda one: one.path))


def _is_rendered(path: PurePosixPath) -> bool:
    return len(path.parts) >= _DEPTH and path.parts[0] == "rendered" and path.suffix == ".yaml"


def _read(files: list[tuple[PurePosixPath, str]], engine: Caller) -> Iterator[Member]:
    documents = parse((text for _, text in files), engine=engine)
    for (path, _), document in zip(files, documents, strict=True):
        try:
            identity = identify(document)
        except (KeyError, TypeError, AttributeError):
            continue
        if all(isinstance(word, str) for word in astuple(identity)):
            yield Member(path.parts[2], path, identity, document, Origins(Source(path)))
