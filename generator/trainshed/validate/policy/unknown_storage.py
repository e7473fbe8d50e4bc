"""A claim of any origin asks for a storage class that the cluster has: a class of its own, or a StorageClass beside."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.suggest import did_you_mean
from trainshed.validate.policy.reading.storage import class_of
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each class that is neither described nor made."""
    if view.cluster is None:
        return
    known = {storage.storage_class for storage in view.cluster.storage.values()}
    known |= {one.identity.name for one in view.of_kind("StorageClass")}
    for claim in view.of_kind("PersistentVolumeClaim"):
        name = class_of(claim)
        if name and name not in known and not text_at(claim.body, "spec", "volumeName"):
            yield error(
                Code.UNKNOWN_STORAGE,
                claim.at("/spec/storageClassName"),
                f'{claim.identity} asks for storage class "{name}", which cluster "{view.name}" does not have',
                did_you_mean(name, known),
            )
