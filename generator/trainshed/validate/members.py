"""What is rendered, decoded once for each cluster, beside what the base branch holds in its place."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import PurePosixPath

from ruamel.yaml import YAML, YAMLError

from trainshed.model.files import Rendered, RenderedObject
from trainshed.model.manifest import JsonObject, ObjectId, identify
from trainshed.validate.view import Member


def members_by_cluster(objects: Iterable[RenderedObject]) -> Iterator[tuple[str, tuple[Member, ...]]]:
    """The objects of each cluster, apps in order."""
    in_order = sorted(objects, key=lambda one: one.app)
    for name, group in groupby(in_order, key=lambda one: one.app.cluster):
        yield (
            name,
            tuple(
                Member(one.app.app, one.path, made.identity, made.body, made.origins, made.text)
                for one in group
                for made in [one.manifest]
            ),
        )


def objects_before(
    cluster: str, rendered: Rendered, base: Mapping[PurePosixPath, bytes]
) -> dict[ObjectId, JsonObject]:
    """What the base holds for a cluster, as far as it is not what is rendered now: changed, moved or gone."""
    folder = ("rendered", cluster)
    found: dict[ObjectId, JsonObject] = {}
    for path in base:
        if path.parts[:2] == folder and base[path] != rendered.files.get(path, "").encode():
            found |= _read_object(base[path])
    return found


def _read_object(text: bytes) -> dict[ObjectId, JsonObject]:
    """The object of a committed file; nothing for what is no object, for nobody could have applied it."""
    try:
        document = YAML(typ="safe").load(text.decode("utf-8", "replace"))
        return {identify(document): document}
    except (YAMLError, KeyError, TypeError, AttributeError):
        return {}
