"""Checks before the training starts: init containers of the job's own image, without a shell."""

from collections.abc import Iterator

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import security_context
from trainshed.model.extras import GPU_CHECKS
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

GPU_CHECK = "check-gpus"
CHECK_REQUESTS = {"cpu": "100m", "memory": "256Mi"}


def preflight(target: Target, group: PodGroup) -> PodPart:
    """The checks that the job asks for, in the pods that train."""
    if not is_training(target, group):
        return NO_PART
    return PodPart(
        inits=tuple(_checks(target, group)),
        source=("preflight", "storage"),
        sources={GPU_CHECK: ("preflight", "gpus")},
    )


def is_training(target: Target, group: PodGroup) -> bool:
    """Whether the group's pods train: a launcher or a Ray head beside them does not."""
    return group.name != target.backend.carrier.roles.beside or len(target.groups) == 1


def _checks(target: Target, group: PodGroup) -> Iterator[JsonObject]:
    """A check of GPUs asks for all of them: the pod asks for no more, and the driver shows those that it gets."""
    if target.extras.checks_gpus and group.gpus:
        command = GPU_CHECKS[group.gpu_resource.partition("/")[0]]
        yield _check(target, group, GPU_CHECK, command, {group.gpu_resource: str(group.gpus)})
    if target.extras.checks_storage:
        for mount in target.mounts:
            if mount.is_writable_claim:
                yield _check(
                    target, group, f"check-{mount.name}", ("test", "-w", mount.mount_path), {}, mount.name
                )


def _check(
    target: Target,
    group: PodGroup,
    name: str,
    command: tuple[str, ...],
    further: dict[str, str],
    volume: str = "",
) -> JsonObject:
    mounts = [
        without_empty({"name": mount.name, "mountPath": mount.mount_path, "subPath": mount.sub_path})
        for mount in target.mounts
        if mount.name == volume
    ]
    return without_empty(
        {
            "name": name,
            "image": group.image or target.image,
            "imagePullPolicy": target.image_pull_policy,
            "command": list(command),
            "resources": resources({**CHECK_REQUESTS, **further}),
            "securityContext": security_context(target),
            "volumeMounts": mounts,
        }
    )
