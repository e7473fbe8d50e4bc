"""A claim that can only be read is mounted to be read: whether a write fails at the mount or later is the driver's."""

from collections.abc import Iterator

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, Related, Severity
from trainshed.validate.policy.reading.pods import containers, references
from trainshed.validate.policy.reading.values import items_at, maps_at, value_at
from trainshed.validate.view import ClusterView, MadePod

KIND = "PersistentVolumeClaim"


def check(view: ClusterView) -> Iterator[Diagnostic]:
    """A warning at each mount for writing of a claim whose only mode is ReadOnlyMany."""
    for pod in view.pods:
        for reference in references(pod, KIND):
            claim = view.find(KIND, pod.owner.namespace, reference.name)
            if claim is None or items_at(claim.body, "spec", "accessModes") != ["ReadOnlyMany"]:
                continue
            volume = value_at(pod.body, reference.pointer.rpartition("/persistentVolumeClaim/")[0])
            if volume["persistentVolumeClaim"].get("readOnly") is True:
                continue
            for pointer in _written(pod, volume.get("name")):
                yield Diagnostic(
                    code=Code.CLAIM_READ_ONLY,
                    severity=Severity.WARNING,
                    summary=f"pods of {pod.owner.identity} mount {claim.identity} for writing",
                    source=pod.at(pointer),
                    detail="it can only be read: write readOnly: true, or make the claim ReadWriteMany",
                    related=(Related(claim.at("/spec/accessModes"), "how the claim can be mounted"),),
                )


def _written(pod: MadePod, volume: object) -> Iterator[str]:
    for pointer, container in containers(pod):
        for index, mount in maps_at(container, "volumeMounts"):
            if mount.get("name") == volume and mount.get("readOnly") is not True:
                yield f"{pointer}/volumeMounts/{index}"
