"""A claim of any origin asks for a way to be mounted that its storage has, where the cluster says what it is."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.validate.policy.reading.storage import storage_of
from trainshed.validate.policy.reading.values import items_at, text_at
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each access mode that the storage does not have."""
    for claim in view.of_kind("PersistentVolumeClaim"):
        storage = storage_of(view, claim)
        if storage is None or text_at(claim.body, "spec", "volumeName"):
            continue
        able = [mode.value for mode in storage.driver.access_modes]
        for index, mode in enumerate(items_at(claim.body, "spec", "accessModes")):
            if mode not in able and not (mode == "ReadWriteOncePod" and "ReadWriteOnce" in able):
                yield error(
                    Code.STORAGE_ACCESS,
                    claim.at(f"/spec/accessModes/{index}"),
                    f'{storage.driver.title} ("{storage.name}") cannot be mounted {mode}',
                    f"it can be mounted {', '.join(able)}",
                    [Related(storage.source, "the storage is described here")],
                )
