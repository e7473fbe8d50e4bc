"""Pod templates as plain data: restricted by default, sized, and nothing in them that nobody asked for.

A pod is the sum of parts, one for each concern. A new concern is a file here and a row in PARTS.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from trainshed.compile.plain import without_empty
from trainshed.compile.pod.code import code_files, git_clone, parameters, training_runtime
from trainshed.compile.pod.contract import checkpoints, contract, local_checkpoints, output
from trainshed.compile.pod.data import data
from trainshed.compile.pod.disruption import undisturbed
from trainshed.compile.pod.env import env_entry
from trainshed.compile.pod.extras import init_containers, ports, sidecars
from trainshed.compile.pod.fabric import fabric
from trainshed.compile.pod.gang import gang
from trainshed.compile.pod.gpus import no_gpus
from trainshed.compile.pod.indexes import indexes, sweep
from trainshed.compile.pod.mesh import mesh
from trainshed.compile.pod.observability import observability
from trainshed.compile.pod.part import PodPart, PodSum
from trainshed.compile.pod.placement import placement
from trainshed.compile.pod.prefetch import prefetch
from trainshed.compile.pod.preflight import preflight
from trainshed.compile.pod.rendezvous import rendezvous
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import pod_security, security_context
from trainshed.compile.pod.setup import container_command
from trainshed.compile.pod.space import scratch, shared_memory, temporary_files
from trainshed.compile.pod.topology import topology
from trainshed.compile.pod.trust import trust
from trainshed.compile.pod.words import identity, own_env
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup

Concern: TypeAlias = Callable[[Target, PodGroup], PodPart]

PARTS: tuple[Concern, ...] = (
    identity,
    indexes,
    contract,
    code_files,
    git_clone,
    training_runtime,
    parameters,
    sweep,
    checkpoints,
    local_checkpoints,
    output,
    shared_memory,
    scratch,
    temporary_files,
    data,
    prefetch,
    trust,
    fabric,
    no_gpus,
    placement,
    gang,
    topology,
    mesh,
    undisturbed,
    observability,
    ports,
    preflight,
    sidecars,
    init_containers,
    rendezvous,
    own_env,
)
"""Every concern, in the order in which variables, volumes and init containers stand in a pod."""


def pod_parts(target: Target, group: PodGroup, extra: Iterable[PodPart] = ()) -> PodSum:
    """All that a group's pods are made of."""
    return PodSum.of((*(concern(target, group) for concern in PARTS), *extra))


def pod_template(
    target: Target,
    group: PodGroup,
    *,
    container: str,
    restart_policy: str = "",
    extra: Iterable[PodPart] = (),
) -> JsonObject:
    """The template of a group's pods, with the training container first. `extra` is what only one kind needs."""
    parts = pod_parts(target, group, extra)
    return {
        "metadata": without_empty(
            {"labels": parts.merge("labels"), "annotations": parts.merge("annotations")}
        ),
        "spec": without_empty(
            {
                "restartPolicy": restart_policy,
                "automountServiceAccountToken": False,
                "enableServiceLinks": False,
                "securityContext": pod_security(target),
                **parts.merge("pod"),
                "initContainers": parts.gather("inits"),
                "containers": [_container(target, group, container, parts)],
                "volumes": parts.gather("volumes"),
            }
        ),
    }


def _container(target: Target, group: PodGroup, name: str, parts: PodSum) -> JsonObject:
    return without_empty(
        {
            "name": name,
            "image": group.image or target.image,
            "imagePullPolicy": target.image_pull_policy,
            "command": container_command(target, group),
            "args": list(group.args),
            "workingDir": target.working_dir,
            "env": [env_entry(variable) for variable in parts.env],
            "envFrom": [
                *(
                    {"secretRef": {"name": secret}}
                    for secret in (*target.env_from_secrets, *target.inputs.secrets)
                ),
                *({"configMapRef": {"name": config_map}} for config_map in target.env_from_config_maps),
            ],
            "ports": parts.gather("ports"),
            "resources": resources({**parts.requests, **group.requests}, group.limits),
            "securityContext": security_context(target, group.fabric),
            "volumeMounts": parts.gather("mounts"),
            **parts.merge("container"),
        }
    )
