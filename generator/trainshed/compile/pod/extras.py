"""Further ports, and containers before and beside the training's."""

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.env import env_entry
from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.compile.pod.preflight import is_training
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import security_context
from trainshed.model.extras import ExtraContainer
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup


def ports(target: Target, _: PodGroup) -> PodPart:
    """Ports that other pods of the run may find by name."""
    named = sorted(target.extras.ports.items())
    return PodPart(ports=tuple({"name": name, "containerPort": port} for name, port in named))


def sidecars(target: Target, group: PodGroup) -> PodPart:
    """Native sidecars: init containers that go on, and end when the training has."""
    if not is_training(target, group):
        return NO_PART
    made = (_container(target, extra) for extra in target.extras.sidecars)
    return PodPart(inits=tuple({**container, "restartPolicy": "Always"} for container in made))


def init_containers(target: Target, group: PodGroup) -> PodPart:
    """What runs before the training, once the code and the sidecars are there."""
    if not is_training(target, group):
        return NO_PART
    return PodPart(inits=tuple(_container(target, extra) for extra in target.extras.inits))


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
            "volumeMounts": [
                {"name": name, "mountPath": path} for name, path in sorted(extra.mounts.items())
            ],
        }
    )
