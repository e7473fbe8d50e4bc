"""A claim of any origin is as large as its storage can make, where the cluster says what the storage is."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, error
from trainshed.validate.policy.reading.storage import storage_of
from trainshed.validate.policy.reading.values import amount, map_at
from trainshed.validate.view import ClusterView


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A finding at each request that is less than the storage's least."""
    for claim in view.of_kind("PersistentVolumeClaim"):
        storage = storage_of(view, claim)
        size = map_at(claim.body, "spec", "resources", "requests").get("storage")
        if storage and size is not None and amount(size) < storage.driver.min_bytes:
            yield error(
                Code.STORAGE_SIZE,
                claim.at("/spec/resources/requests/storage"),
                f"{size} is less than {storage.driver.title} can make",
                f"the smallest is {storage.driver.min_bytes // 2**30}Gi",
                [Related(storage.source, "the storage is described here")],
            )
