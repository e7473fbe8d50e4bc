"""The storage that a claim asks for, as its cluster describes it."""

from trainshed.model.catalog import BindingMode
from trainshed.model.cluster import StorageClass
from trainshed.validate.policy.reading.values import text_at
from trainshed.validate.view import ClusterView, Member

WAITS = "WaitForFirstConsumer"


def class_of(claim: Member) -> str:
    """The StorageClass that a claim names; empty where it leaves that to the cluster, or wants none."""
    return text_at(claim.body, "spec", "storageClassName")


def storage_of(view: ClusterView, claim: Member) -> StorageClass | None:
    """The cluster's storage of that class, if it is described."""
    described = view.cluster.storage.values() if view.cluster else ()
    return next((storage for storage in described if storage.storage_class == class_of(claim)), None)


def waits_for_consumer(view: ClusterView, claim: Member) -> bool:
    """Whether the claim stays pending until a pod that mounts it is scheduled."""
    made = view.find("StorageClass", "", class_of(claim))
    if made is not None:
        return made.body.get("volumeBindingMode") == WAITS
    storage = storage_of(view, claim)
    return storage is not None and storage.driver.binding is BindingMode.FIRST_CONSUMER
