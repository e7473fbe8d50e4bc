"""Persistent volume claims: stable names, a named storage class, never pruned, never deleted by a sync."""

from trainshed.compile.labels import DOMAIN
from trainshed.compile.platform.storage import volume_name
from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.team import ACCESS_MODES, VolumeClaim

KEPT = {
    "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
}
"""Argo CD leaves the object alone when its file goes, and does not call the app out of sync for it."""

SNAPSHOTS_LABEL = f"{DOMAIN}/snapshots"
"""On claims of which snapshots are taken: the claim's own name, so that a schedule finds this one and no other."""


def claim_origins(volume: VolumeClaim) -> Origins:
    """From the claim's fields to the words that decide them."""
    fields = volume.fields
    return Origins(
        volume.source,
        (
            ("/spec/accessModes", fields["access"]),
            ("/spec/resources", fields["size"]),
            ("/spec/storageClassName", fields["storage"]),
        ),
    )


def claim(volume: VolumeClaim, namespace: str, labels: dict[str, str]) -> JsonObject:
    """The claim for a volume of a team or a job; that of a bucket is bound to the volume that stands for it."""
    bound = {"volumeName": volume_name(namespace, volume.name)} if volume.bucket else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": volume.name,
            "namespace": namespace,
            "labels": {**labels, **({SNAPSHOTS_LABEL: volume.name} if volume.snapshots else {})},
            "annotations": dict(KEPT),
        },
        "spec": {
            "accessModes": [ACCESS_MODES[volume.access].value],
            "resources": {"requests": {"storage": volume.size}},
            "storageClassName": "" if volume.bucket else volume.storage.storage_class,
            **bound,
        },
    }
