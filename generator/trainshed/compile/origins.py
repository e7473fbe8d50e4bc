"""From places in rendered objects back to the words that caused them."""

from collections.abc import Iterator

from trainshed.model.manifest import Origins, escape_pointer
from trainshed.model.plan import Target
from trainshed.model.pods import PodGroup
from trainshed.model.provenance import FieldPath
from trainshed.model.source import Source

CONTAINER_ORIGINS: tuple[tuple[str, FieldPath], ...] = (
    ("/image", ("image",)),
    ("/imagePullPolicy", ("imagePullPolicy",)),
    ("/command", ("run",)),
    ("/args", ("run",)),
    ("/workingDir", ("workingDir",)),
    ("/env", ("env",)),
    ("/envFrom", ("envFrom",)),
    ("/resources/requests/cpu", ("cpu",)),
    ("/resources/requests/memory", ("memory",)),
    ("/resources/limits/cpu", ("limits", "cpu")),
    ("/resources/limits/memory", ("memory",)),
    ("/resources/requests/ephemeral-storage", ("ephemeralStorage",)),
    ("/resources", ("gpus",)),
    ("/securityContext", ("security",)),
    ("/volumeMounts", ("data",)),
)
POD_ORIGINS: tuple[tuple[str, FieldPath], ...] = (
    ("/spec/serviceAccountName", ("serviceAccount",)),
    ("/spec/imagePullSecrets", ("imagePullSecrets",)),
    ("/spec/terminationGracePeriodSeconds", ("gracePeriod",)),
    ("/spec/nodeSelector", ("gpus",)),
    ("/spec/affinity", ("gpus",)),
    ("/spec/securityContext", ("security",)),
    ("/spec/initContainers", ("code", "git")),
    ("/spec/volumes", ("data",)),
    ("/metadata/labels", ("labels",)),
    ("/metadata/annotations", ("annotations",)),
)
RAW_ORIGINS: tuple[tuple[str, FieldPath], ...] = (
    ("/spec/nodeSelector", ("nodeSelector",)),
    ("/spec/affinity", ("affinity",)),
    ("/spec/affinity", ("avoidNodes",)),
    ("/spec/tolerations", ("tolerations",)),
    ("/spec/schedulerName", ("scheduler",)),
    ("/spec/containers/0/ports", ("ports",)),
    ("/spec/initContainers", ("initContainers",)),
    ("/spec/initContainers", ("sidecars",)),
    ("/spec/initContainers", ("preflight",)),
)
"""What answers for a place where it is written, before all others."""

JOB_ORIGINS: tuple[tuple[str, FieldPath], ...] = (
    ("/metadata/name", ("name",)),
    ("/metadata/namespace", ("team",)),
    ("/metadata/labels/kueue.x-k8s.io~1queue-name", ("queue",)),
    ("/metadata/labels/kueue.x-k8s.io~1priority-class", ("priority",)),
    ("/metadata/labels", ("labels",)),
    ("/metadata/annotations", ("annotations",)),
)


def run_origins(target: Target, own: dict[str, FieldPath], templates: dict[str, PodGroup]) -> Origins:
    """The origins of a run's object: `own` by pointer, and those of its pod templates by pointer and group."""
    parts: list[tuple[str, Source]] = [
        (pointer, target.sources.find(*field)) for pointer, field in (*JOB_ORIGINS, *own.items())
    ]
    for pointer, group in templates.items():
        written = (origin for origin in RAW_ORIGINS if target.sources.has(*origin[1]))
        fields = (*written, *_template(group))
        parts.extend((pointer + below, target.sources.find(*field)) for below, field in fields)
    return Origins(target.sources.find("name"), tuple(parts))


def _template(group: PodGroup) -> Iterator[tuple[str, FieldPath]]:
    yield from POD_ORIGINS
    for below, field in CONTAINER_ORIGINS:
        yield f"/spec/containers/0{below}", (*group.field, *field)


def field_origins(**fields: str) -> dict[str, FieldPath]:
    """`/spec/<pointer>` to the field of the job: backoffLimit="restarts"."""
    return {f"/spec/{escape_pointer(pointer)}": (field,) for pointer, field in fields.items()}
