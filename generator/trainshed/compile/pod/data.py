"""What is mounted into every pod of a run, and what its code is told of it."""

import json

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.part import PodPart
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import Mount, PodGroup
from trainshed.model.provenance import FieldPath

FORMS = ("volume", "claim", "create", "uri", "configMap", "secret", "hostPath", "source")
"""The words by which data says what is mounted, of which each has one."""


def data(target: Target, _: PodGroup) -> PodPart:
    """Claims, ConfigMaps, Secrets, folders to fetch to and, with approval, paths of the node."""
    return PodPart(
        volumes=tuple(map(_volume, target.mounts)),
        mounts=tuple(map(mount_entry, target.mounts)),
        env=target.inputs.env,
        annotations=target.inputs.annotations,
        source=("data",),
        sources={
            **target.inputs.fields,
            **{mount.name: _origin(target, mount) for mount in target.mounts},
        },
    )


def _origin(target: Target, mount: Mount) -> FieldPath:
    """The word that names what is mounted."""
    words = ((*mount.field, word) for word in FORMS)
    return next((path for path in words if target.sources.has(*path)), mount.field)


def mount_entry(mount: Mount) -> JsonObject:
    """A mount as a container writes it."""
    return without_empty(
        {
            "name": mount.name,
            "mountPath": mount.mount_path,
            "subPath": mount.sub_path,
            "readOnly": mount.read_only or None,
        }
    )


def _volume(mount: Mount) -> JsonObject:
    if mount.kind == "source":
        return {"name": mount.name, **json.loads(mount.origin)}
    source = {
        "claim": {"persistentVolumeClaim": {"claimName": mount.origin}},
        "readOnlyClaim": {"persistentVolumeClaim": {"claimName": mount.origin, "readOnly": True}},
        "configMap": {"configMap": {"name": mount.origin}},
        "secret": {"secret": {"secretName": mount.origin, "defaultMode": 0o440}},
        "hostPath": {"hostPath": {"path": mount.origin}},
        "folder": {"emptyDir": {"sizeLimit": mount.origin}},
    }[mount.kind]
    return {"name": mount.name, **source}
