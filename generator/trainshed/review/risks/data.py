"""Claims, volumes and snapshots: what may take data along."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.model.quantity import QuantityError, parse_quantity
from trainshed.model.review import Verb
from trainshed.review.objects import keeps_in_cluster
from trainshed.review.pairs import Pair
from trainshed.review.shapes import spec_of

_KEEPING = {
    "PersistentVolume": ("/spec/persistentVolumeReclaimPolicy", ("spec", "persistentVolumeReclaimPolicy")),
    "StorageClass": ("/reclaimPolicy", ("reclaimPolicy",)),
    "VolumeSnapshotClass": ("/deletionPolicy", ("deletionPolicy",)),
}
"""Where a kind says what becomes of data when its claim goes."""

_PLACES = ("storageClassName", "accessModes", "csi", "nfs", "volumeName", "dataSource", "source")


def leaves_git(pair: Pair) -> Iterator[tuple[str, str]]:
    """Gone, or replaced by one of another name."""
    if pair.before is None or pair.verb not in (Verb.DELETED, Verb.REPLACED):
        return
    name = pair.before.identity
    if keeps_in_cluster(pair.old):
        yield f"{name} leaves Git and stays in the cluster with its data, until somebody deletes it there", ""
    else:
        yield f"{name} is deleted, and what becomes of its data is its class's to say", ""


def loses_protection(pair: Pair) -> Iterator[tuple[str, str]]:
    """From now on, leaving Git would delete it."""
    if pair.verb is Verb.CHANGED and keeps_in_cluster(pair.old) and not keeps_in_cluster(pair.new):
        yield (
            f"{pair.identity} loses Prune=false: Argo CD will delete it when it leaves Git",
            "/metadata/annotations",
        )


def other_storage(pair: Pair) -> Iterator[tuple[str, str]]:
    """A claim or volume that is to be somewhere else."""
    if pair.verb is not Verb.CHANGED:
        return
    for field in _PLACES:
        before, after = spec_of(pair.old).get(field), spec_of(pair.new).get(field)
        if before != after:
            yield (
                f"{pair.identity} changes its {field}: it cannot in place, nor does its data move",
                f"/spec/{field}",
            )


def shrinks(pair: Pair) -> Iterator[tuple[str, str]]:
    """A claim that asks for less than it has."""
    before, after = _size(pair.old), _size(pair.new)
    if pair.verb is Verb.CHANGED and after < before:
        yield f"{pair.identity} shrinks, which the API server refuses", "/spec/resources/requests/storage"


def no_longer_retained(pair: Pair) -> Iterator[tuple[str, str]]:
    """A class or volume that deletes data with its claim, and did not."""
    pointer, path = _KEEPING[pair.kind]
    before, after = _at(pair.old, path), _at(pair.new, path)
    if pair.after is not None and after == "Delete" and before != after:
        yield f"{pair.identity} deletes data when its claim goes", pointer


def _size(body: JsonObject) -> Fraction:
    try:
        return parse_quantity(str(_at(body, ("spec", "resources", "requests", "storage"))))
    except QuantityError:
        return Fraction(0)


def _at(body: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        body = body.get(step) if isinstance(body, dict) else None
    return body
