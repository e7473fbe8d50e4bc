"""Space that is gone when the pod is: shared memory, scratch, and /tmp where the image cannot be written to."""

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.said import said
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup


def shared_memory(target: Target, group: PodGroup) -> PodPart:
    """/dev/shm of a stated size: its pages count as the container's memory."""
    if not group.shm:
        return NO_PART
    volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": group.shm}}
    mount = {"name": "shm", "mountPath": "/dev/shm"}
    return PodPart(volumes=(volume,), mounts=(mount,), source=said(target, group, ("shm",), ("gpus",)))


def scratch(target: Target, _: PodGroup) -> PodPart:
    """Space of the pod's own. On the node's disk it is asked for, or one disk would be promised to several pods."""
    wanted = target.scratch
    if wanted is None:
        return NO_PART
    in_memory = wanted.medium == "memory"
    on_disk = not wanted.storage_class and not in_memory
    return PodPart(
        volumes=({"name": "scratch", **own_space(wanted.size, wanted.storage_class, in_memory=in_memory)},),
        mounts=({"name": "scratch", "mountPath": wanted.mount_path},),
        requests={"ephemeral-storage": wanted.size} if on_disk else {},
        source=("scratch",),
    )


def own_space(size: str, storage_class: str, *, in_memory: bool) -> JsonObject:
    """A volume that is gone with its pod: one that Kubernetes makes for it, or a folder on disk or in memory."""
    if not storage_class:
        return {"emptyDir": {"sizeLimit": size} | ({"medium": "Memory"} if in_memory else {})}
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": size}},
    }
    return {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}


def temporary_files(target: Target, _: PodGroup) -> PodPart:
    """/tmp, where the image's own file system is read-only."""
    if not target.read_only_root:
        return NO_PART
    volume = {"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}}
    mount = {"name": "tmp", "mountPath": "/tmp"}
    return PodPart(volumes=(volume,), mounts=(mount,), source=("security", "readOnlyRoot"))
