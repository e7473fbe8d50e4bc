"""What a made pod runs and what it refers to, each with its JSON pointer into the pod."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from trainshed.model.manifest import JsonObject, escape_pointer
from trainshed.validate.policy.reading.values import map_at, maps_at, value_at
from trainshed.validate.view import MadePod

CONTAINERS = ("initContainers", "containers")

NAMES: Mapping[str, tuple[str, str]] = {
    "configMap": ("ConfigMap", "name"),
    "configMapRef": ("ConfigMap", "name"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "secretRef": ("Secret", "name"),
    "secretKeyRef": ("Secret", "name"),
    "nodePublishSecretRef": ("Secret", "name"),
    "azureFile": ("Secret", "secretName"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
}
"""The fields of a pod that refer to another object of its namespace: its kind, and the field that names it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A pod's mention of another object of its namespace."""

    pod: MadePod
    kind: str
    name: str
    pointer: str
    optional: bool


@lru_cache(maxsize=2**14)  # a dozen rules ask about each pod
def containers(pod: MadePod) -> tuple[tuple[str, JsonObject], ...]:
    """Init containers, then containers."""
    return tuple(
        (f"/spec/{field}/{index}", container)
        for field in CONTAINERS
        for index, container in maps_at(pod.body, "spec", field)
    )


def references(pod: MadePod, *kinds: str) -> Iterator[Reference]:
    """The objects of some kinds that the pod cannot start without; those that its controller makes left out."""
    return (reference for reference in _all_references(pod) if reference.kind in kinds)


@lru_cache(maxsize=2**14)
def _all_references(pod: MadePod) -> tuple[Reference, ...]:
    found: list[Reference] = []
    for pointer, place in _holders(pod):
        _collect(pod, place, pointer, found)
    return tuple(reference for reference in found if not reference.optional and not _is_made(reference))


def is_written(pod: MadePod, pointer: str) -> bool:
    """Whether the owner says what stands in the pod; if not, the operator brings it along."""
    return value_at(pod.owner.body, pod.trace(pointer)) == value_at(pod.body, pointer)


def _holders(pod: MadePod) -> Iterator[tuple[str, JsonObject]]:
    """The parts of a pod that can refer to anything: volumes, variables, and what images are pulled with."""
    spec = map_at(pod.body, "spec")
    if "imagePullSecrets" in spec:
        yield "/spec", {"imagePullSecrets": spec["imagePullSecrets"]}
    for index, volume in maps_at(spec, "volumes"):
        yield f"/spec/volumes/{index}", volume
    for pointer, container in containers(pod):
        for index, variable in maps_at(container, "env"):
            if "valueFrom" in variable:
                yield f"{pointer}/env/{index}", variable
        for index, source in maps_at(container, "envFrom"):
            yield f"{pointer}/envFrom/{index}", source


def _collect(pod: MadePod, place: Any, pointer: str, found: list[Reference]) -> None:
    """Everything below a place that refers to an object."""
    if isinstance(place, list):
        for index, item in enumerate(place):
            _collect(pod, item, f"{pointer}/{index}", found)
    elif isinstance(place, dict):
        for field, value in place.items():
            if value and isinstance(value, (dict, list)):
                below = f"{pointer}/{escape_pointer(field)}"
                if field in NAMES or field in ("secret", "imagePullSecrets"):
                    found += _refer(pod, field, value, below)
                _collect(pod, value, below, found)


def _refer(pod: MadePod, field: str, value: Any, pointer: str) -> Iterator[Reference]:
    if field == "imagePullSecrets":
        named = [
            ("Secret", "name", item, f"{pointer}/{i}")
            for i, item in enumerate(value if isinstance(value, list) else ())
        ]
    elif field == "secret":  # a volume says secretName, a projected source name
        named = [("Secret", name, value, pointer) for name in ("secretName", "name")]
    else:
        named = [(*NAMES[field], value, pointer)]
    for kind, name_field, holder, place in named:
        name = holder.get(name_field) if isinstance(holder, dict) else None
        if isinstance(name, str) and name:
            yield Reference(pod, kind, name, f"{place}/{name_field}", holder.get("optional") is True)


def _is_made(reference: Reference) -> bool:
    """A controller names what it makes after the object it makes it for: `<job>-ssh`, `<claim>-<jobset>`."""
    owner = reference.pod.owner.identity.name
    return owner in reference.name and not is_written(reference.pod, reference.pointer)
