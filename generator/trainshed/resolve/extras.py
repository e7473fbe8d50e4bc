"""Ports, checks, and containers beside the training's, as the job asks for them."""

from collections.abc import Iterable
from types import MappingProxyType

from msgspec.structs import replace

from trainshed.model.backend import Backend
from trainshed.model.codes import Code
from trainshed.model.extras import GPU_CHECKS, ExtraContainer, Extras
from trainshed.model.pods import Mount, PodGroup
from trainshed.model.quantity import add_quantities
from trainshed.model.spec.extras import ExtraContainer as WrittenContainer
from trainshed.model.suggest import did_you_mean
from trainshed.resolve.draft import Draft
from trainshed.resolve.environment import resolve_env
from trainshed.resolve.image import fetched_image
from trainshed.resolve.room import make_room

SMALL_CPU, SMALL_MEMORY = "100m", "256Mi"
"""What a container beside the training gets unless it says more."""

NATIVE_SIDECARS = 29
"""The minor version of Kubernetes from which init containers may go on beside the others."""


def resolve_extras(
    draft: Draft,
    backend: Backend,
    groups: tuple[PodGroup, ...],
    mounts: tuple[Mount, ...],
    travels: bool,
) -> Extras:
    """All further parts of the pods, each checked. `travels` says that code files go with the run."""
    body = draft.body
    preflight = body.preflight
    checks_gpus = bool(preflight and preflight.gpus)
    if checks_gpus:
        _check_gpus(draft, groups)
    if preflight and preflight.storage and not any(mount.is_writable_claim for mount in mounts):
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("preflight", "storage"),
            "nothing is mounted for writing, so there is no storage to check",
            "leave it out, or mount data or checkpoints that the run writes to",
        )
    if body.sidecars and int(draft.cluster.kubernetes.partition(".")[2]) < NATIVE_SIDECARS:
        draft.refuse(
            Code.RELEASE_LACKS,
            ("sidecars",),
            f'Kubernetes {draft.cluster.kubernetes} on "{draft.cluster.name}" has no sidecars that end with the run',
            f"they came with 1.{NATIVE_SIDECARS}: raise it, or start the program from the training's own image",
        )
    known, seen = _mountable(draft, groups, mounts, travels), {backend.carrier.container}
    return Extras(
        ports=MappingProxyType(
            {name: port for name, port in sorted((body.ports or {}).items()) if port is not None}
        ),
        checks_gpus=checks_gpus,
        checks_storage=bool(preflight and preflight.storage),
        inits=_containers(draft, backend, "initContainers", body.init_containers or (), known, seen),
        sidecars=_containers(draft, backend, "sidecars", body.sidecars or (), known, seen),
    )


def room_for_sidecars(draft: Draft, groups: tuple[PodGroup, ...], beside: str) -> tuple[PodGroup, ...]:
    """The groups with what the sidecars need taken off what the training would have got of the node."""
    sidecars = draft.body.sidecars or ()
    if not sidecars:
        return groups
    needed = MappingProxyType(
        {
            "cpu": _total(sidecar.cpu or SMALL_CPU for sidecar in sidecars),
            "memory": _total(sidecar.memory or SMALL_MEMORY for sidecar in sidecars),
        }
    )
    return tuple(
        replace(
            group,
            requests=MappingProxyType({**group.requests, **make_room(draft, group, needed, "the sidecars")}),
            beside=needed,
        )
        if group.name != beside or len(groups) == 1
        else group
        for group in groups
    )


def _total(amounts: Iterable[str]) -> str:
    first, *others = amounts
    for other in others:
        first = add_quantities(first, other)
    return first


def _check_gpus(draft: Draft, groups: tuple[PodGroup, ...]) -> None:
    resources = {group.gpu_resource for group in groups if group.gpus}
    unknown = sorted(resource for resource in resources if resource.partition("/")[0] not in GPU_CHECKS)
    if not resources or unknown:
        draft.refuse(
            Code.CONFLICTING_CHOICE,
            ("preflight", "gpus"),
            f"no program is known that looks at {', '.join(unknown)}"
            if unknown
            else "the job asks for no GPUs",
            "leave it out, or write a check of your own under initContainers",
        )


def _mountable(
    draft: Draft, groups: tuple[PodGroup, ...], mounts: tuple[Mount, ...], travels: bool
) -> frozenset[str]:
    """The names of the pod's volumes that a container of the job's own may mount."""
    code = draft.body.code
    ours = {
        "scratch": draft.body.scratch is not None,
        "code": bool(code and code.git) or travels,
        "shm": all(group.shm for group in groups),
    }
    return frozenset({mount.name for mount in mounts} | {name for name, there in ours.items() if there})


def _containers(
    draft: Draft,
    backend: Backend,
    field: str,
    written: tuple[WrittenContainer, ...],
    known: frozenset[str],
    seen: set[str],
) -> tuple[ExtraContainer, ...]:
    made: list[ExtraContainer] = []
    for index, container in enumerate(written):
        at = (field, index)
        if container.name in seen:
            draft.refuse(
                Code.NAME_TAKEN,
                (*at, "name"),
                f'another container of the pods is called "{container.name}"',
                "give it another name",
            )
        seen.add(container.name)
        made.append(_container(draft, backend, container, at, known))
    return tuple(made)


def _container(
    draft: Draft,
    backend: Backend,
    written: WrittenContainer,
    at: tuple[str | int, ...],
    known: frozenset[str],
) -> ExtraContainer:
    mounts = {name: path for name, path in sorted((written.mounts or {}).items()) if path is not None}
    for name in mounts:
        if name not in known:
            draft.refuse(
                Code.UNKNOWN_VOLUME,
                (*at, "mounts", name),
                f'the pods mount nothing called "{name}"',
                did_you_mean(name, known) or "name it under data first",
            )
    image = (
        draft.cluster.mirror.image(draft.body.image or "")
        if written.image is None
        else fetched_image(draft, written.image, (*at, "image"))
    )
    return ExtraContainer(
        name=written.name,
        image=image,
        command=written.command or (),
        args=written.args or (),
        env=resolve_env(draft, backend, written.env, (*at, "env")),
        mounts=MappingProxyType(mounts),
        cpu=written.cpu or SMALL_CPU,
        memory=written.memory or SMALL_MEMORY,
        security_context=written.security_context or {},
    )
