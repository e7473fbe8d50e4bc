"""What a cluster would make in time and the kit does not: the Job of a CronJob, the volume of a claim."""

from typing import Any

JsonObject = dict[str, Any]

FIRING = "2026-11-22T02:00:00Z"
MINUTES = 29_921_880
"""The minutes since 1970 until then, by which the controller names the Job."""


def fire(cron: JsonObject) -> JsonObject:
    """The Job that a CronJob makes when its time has come, with the time in it as the controller writes it."""
    template, metadata = cron["spec"]["jobTemplate"], cron["metadata"]
    stamp = {"batch.kubernetes.io/cronjob-scheduled-timestamp": FIRING}
    marks = template.get("metadata", {})
    named = {"name": f"{metadata['name']}-{MINUTES}", "namespace": metadata["namespace"]}
    annotations = {"annotations": marks.get("annotations", {}) | stamp}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": marks | named | annotations,
        "spec": template["spec"],
    }


def volume_for(claim: JsonObject) -> JsonObject:
    """A volume that leads nowhere, promised to one claim."""
    metadata, spec = claim["metadata"], claim["spec"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"nowhere-{metadata['uid']}"},
        "spec": {
            "capacity": spec["resources"]["requests"],
            "accessModes": spec["accessModes"],
            "storageClassName": spec.get("storageClassName", ""),
            "volumeMode": spec.get("volumeMode", "Filesystem"),
            "claimRef": {
                "name": metadata["name"],
                "namespace": metadata["namespace"],
                "uid": metadata["uid"],
            },
            "hostPath": {"path": "/nowhere"},
        },
    }
