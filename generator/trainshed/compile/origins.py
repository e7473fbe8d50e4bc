"""From places in rendered objects back to the words that caused them."""

from collections.abc import Iterator, Mapping

from trainshed.compile.pod import pod_parts
from trainshed.compile.pod.part import CONTAINER
from trainshed.compile.said import NAME, said
from trainshed.model.manifest import Origins, escape_pointer
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath
from trainshed.model.source import Source

POD_FIELDS: Mapping[str, tuple[FieldPath, ...]] = {
    "/spec/securityContext": (("security",),),
    f"{CONTAINER}/image": (("image",),),
    f"{CONTAINER}/imagePullPolicy": (("imagePullPolicy",),),
    f"{CONTAINER}/command": (("run",),),
    f"{CONTAINER}/args": (("run", "args"), ("run",)),
    f"{CONTAINER}/workingDir": (("workingDir",),),
    f"{CONTAINER}/env": (("env",),),
    f"{CONTAINER}/envFrom": (("envFrom",),),
    f"{CONTAINER}/resources": (("gpus",),),
    f"{CONTAINER}/securityContext": (("security",),),
}
"""What every pod template has whatever its parts are: places, and the fields that may answer for them, in order."""

RESOURCE_FIELDS: Mapping[str, tuple[FieldPath, ...]] = {
    "cpu": (("cpu",), ("gpus",)),
    "memory": (("memory",), ("gpus",)),
    "ephemeral-storage": (("ephemeralStorage",), ("scratch",), ("checkpoint", "local"), ("data",)),
}

KEPT = frozenset({"data", "checkpoint", "output"})
"""Fields whose addresses need credentials."""

JOB_ORIGINS: tuple[tuple[str, FieldPath], ...] = (
    ("/metadata/name", ("name",)),
    ("/metadata/namespace", ("team",)),
    ("/metadata/labels/kueue.x-k8s.io~1queue-name", ("queue",)),
    ("/metadata/labels/kueue.x-k8s.io~1priority-class", ("priority",)),
    ("/metadata/labels", ("labels",)),
    ("/metadata/annotations", ("annotations",)),
)


def run_origins(target: Target, own: Mapping[str, FieldPath], templates: Mapping[str, PodGroup]) -> Origins:
    """The origins of a run's object: `own` by pointer, and those of its pod templates by pointer and group."""
    fields = [*JOB_ORIGINS, *_words_of_people(target), *own.items()]
    for pointer, group in templates.items():
        fields.extend((pointer + below, field) for below, field in template_origins(target, group))
    parts: tuple[tuple[str, Source], ...] = tuple(
        (pointer, target.sources.find(*field)) for pointer, field in fields
    )
    return Origins(target.sources.find(*NAME), parts)


def template_origins(target: Target, group: PodGroup) -> Iterator[tuple[str, FieldPath]]:
    """From the places in the template of a group's pods to the fields that answer for them."""
    for place, fields in POD_FIELDS.items():
        yield place, said(target, group, *fields)
    yield from _resources(target, group)
    yield from _whole_environments(target)
    yield from pod_parts(target, group).origins()


def field_origins(**fields: str) -> dict[str, FieldPath]:
    """`/spec/<pointer>` to the field of the job: backoffLimit="restarts"."""
    return {f"/spec/{escape_pointer(pointer)}": (field,) for pointer, field in fields.items()}


def _words_of_people(target: Target) -> Iterator[tuple[str, FieldPath]]:
    """The labels and annotations that the job itself says."""
    for field, known in (("labels", target.labels), ("annotations", target.annotations)):
        for key in known:
            yield f"/metadata/{field}/{escape_pointer(key)}", (field, key)


def _resources(target: Target, group: PodGroup) -> Iterator[tuple[str, FieldPath]]:
    of_fabric = {group.fabric.resource, *group.fabric.extra_resources} if group.fabric else frozenset[str]()
    for resource in {**dict.fromkeys(RESOURCE_FIELDS), **group.requests, **group.limits}:
        wanted = (("fabric",), ("nodes",)) if resource in of_fabric else (("gpus",),)
        fields = RESOURCE_FIELDS.get(resource, (("resources", resource), *wanted))
        name = escape_pointer(resource)
        yield f"{CONTAINER}/resources/requests/{name}", said(target, group, *fields)
        yield f"{CONTAINER}/resources/limits/{name}", said(target, group, ("limits", resource), *fields)


def _whole_environments(target: Target) -> Iterator[tuple[str, FieldPath]]:
    """What stands under envFrom, in its order: Secrets, those of data and checkpoints, ConfigMaps."""
    written = target.sources.values.items()
    credentials = {value: path for path, value in written if path[0] in KEPT and path[-1] == "credentials"}
    fields: list[FieldPath] = [
        *(("envFrom", "secrets", index) for index in range(len(target.env_from_secrets))),
        *(credentials.get(secret, NAME) for secret in target.inputs.secrets),
        *(("envFrom", "configMaps", index) for index in range(len(target.env_from_config_maps))),
    ]
    for index, field in enumerate(fields):
        yield f"{CONTAINER}/envFrom/{index}", field
