"""Volumes that no other word says: a path of the node, and a volume as Kubernetes writes it."""

from collections.abc import Mapping

from trainshed.model.codes import Code
from trainshed.model.manifest import canonical_json
from trainshed.model.secrets import find_secret
from trainshed.model.spec.storage import DataMount
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.environment import refuse_secret
from trainshed.resolve.found import Field, Found, Mounting

SOURCES = frozenset(
    {
        "awsElasticBlockStore",
        "azureDisk",
        "azureFile",
        "cephfs",
        "cinder",
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "fc",
        "flexVolume",
        "flocker",
        "gcePersistentDisk",
        "gitRepo",
        "glusterfs",
        "hostPath",
        "image",
        "iscsi",
        "nfs",
        "persistentVolumeClaim",
        "photonPersistentDisk",
        "portworxVolume",
        "projected",
        "quobyte",
        "rbd",
        "scaleIO",
        "secret",
        "storageos",
        "vsphereVolume",
    }
)
"""The volumes of a pod (k8s.io/api, core/v1 VolumeSource); which of them a namespace admits, Pod Security says."""


def find_host_path(mounting: Mounting, _: str, data: DataMount, at: Field) -> Found | None:
    """A path of the node, for jobs that are approved."""
    _check_host_path(mounting, data.host_path or "", at)
    return Found("hostPath", data.host_path or "")


def _check_host_path(mounting: Mounting, path: str, at: Field) -> None:
    if not mounting.approved:
        mounting.draft.refuse(
            Code.HOST_PATH_UNAPPROVED,
            at,
            f"{path} of the node is mounted by a job that is not privileged",
            "use a volume; or write security: {level: privileged, why: …}, which cluster and team must approve",
        )


def find_source(mounting: Mounting, name: str, data: DataMount, at: Field) -> Found | None:
    """A volume in Kubernetes' own words: what is in it is for the judges, whether it may be for us."""
    source = data.source or {}
    if len(source) != 1 or not SOURCES.issuperset(source):
        wrong = next((word for word in source if word not in SOURCES), "")
        mounting.draft.refuse(
            Code.UNKNOWN_VALUE if wrong else Code.MISSING_CHOICE,
            at,
            f'"{wrong}" is not a volume of Kubernetes' if wrong else f'source of "{name}" is not one volume',
            did_you_mean(wrong, SOURCES)
            or "write one, such as {nfs: {server: nfs.example.com, path: /export}}",
        )
        return None
    ((kind, words),) = source.items()
    if kind == "hostPath":
        path = words.get("path") if isinstance(words, Mapping) else None  # pyright: ignore
        _check_host_path(mounting, str(path), at)
    if find_secret(repr(source)):
        refuse_secret(mounting.draft, at, f'source of "{name}" holds a secret in clear')
    return Found("source", canonical_json(source))
