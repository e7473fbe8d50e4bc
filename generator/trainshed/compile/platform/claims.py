"""Persistent volume claims: stable names, a named storage class, never pruned, never deleted by a sync."""

from trainshed.model.manifest import JsonObject, Origins
from trainshed.model.team import ACCESS_MODES, VolumeClaim

KEPT = {
    "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
}
"""Argo CD leaves the object alone when its file goes, and does not call the app out of sync for it."""


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
    """The claim for a volume of a team or a job."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": volume.name,
            "namespace": namespace,
            "labels": labels,
            "annotations": dict(KEPT),
        },
        "spec": {
            "accessModes": [ACCESS_MODES[volume.access].value],
            "resources": {"requests": {"storage": volume.size}},
            "storageClassName": volume.storage.storage_class,
        },
    }
