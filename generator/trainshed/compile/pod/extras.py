"""Further ports, and containers before and beside the training's."""

from collections.abc import Iterable

from msgspec.structs import replace

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.data import mount_entry
from trainshed.compile.pod.env import env_entry
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.pod.preflight import is_training
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import security_context
from trainshed.model.extras import ExtraContainer
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath


def ports(target: Target, _: PodGroup) -> PodPart:
    """Ports that other pods of the run may find by name."""
    named = sorted(target.extras.ports.items())
    return PodPart(
        ports=tuple({"name": name, "containerPort": port} for name, port in named),
        sources={name: ("ports", name) for name, _ in named},
    )


def sidecars(target: Target, group: PodGroup) -> PodPart:
    """Native sidecars: init containers that go on, and end when the training has."""
    if not is_training(target, group):
        return NO_PART
    made = (_container(target, extra) for extra in target.extras.sidecars)
    return PodPart(
        inits=tuple({**container, "restartPolicy": "Always"} for container in made),
        sources=_lines("sidecars", target.extras.sidecars),
    )


def init_containers(target: Target, group: PodGroup) -> PodPart:
    """What runs before the training, once the code and the sidecars are there."""
    if not is_training(target, group):
        return NO_PART
    return PodPart(
        inits=tuple(_container(target, extra) for extra in target.extras.inits),
        sources=_lines("initContainers", target.extras.inits),
    )


def _lines(field: str, extras: Iterable[ExtraContainer]) -> dict[str, FieldPath]:
    """Each container is known by its own line."""
    return {extra.name: (field, index) for index, extra in enumerate(extras)}


def _container(target: Target, extra: ExtraContainer) -> JsonObject:
    return without_empty(
        {
            "name": extra.name,
            "image": extra.image,
            "imagePullPolicy": target.image_pull_policy,
            "command": list(extra.command),
            "args": list(extra.args),
            "env": [env_entry(variable) for variable in extra.env],
            "resources": resources({"cpu": extra.cpu, "memory": extra.memory}),
            "securityContext": extra.security_context or security_context(target),
            "volumeMounts": [_mount(target, name, path) for name, path in sorted(extra.mounts.items())],
        }
    )


def _mount(target: Target, name: str, path: str) -> JsonObject:
    """What the training has mounted, at another place: the same folder of it, and no more right to write."""
    known = next((mount for mount in target.mounts if mount.name == name), None)
    return mount_entry(replace(known, mount_path=path)) if known else {"name": name, "mountPath": path}
