"""The pod templates in an object of any kind, the role that each belongs to, and whose their containers are."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainshed.model.manifest import JsonObject, escape_pointer

ONLY = "node"
"""The role of the pods of a kind that has pods of one sort."""

NAMED_BY_FIELD: Mapping[str, str] = {"headGroupSpec": "head", "submitterPodTemplate": "submitter"}
"""Fields that are a role by themselves."""


@dataclass(frozen=True, slots=True)
class PodTemplate:
    """A pod template: its role, where it stands, and where each of its containers does."""

    role: str
    pointer: str
    containers: Mapping[str, str]


def find_templates(body: JsonObject) -> list[PodTemplate]:
    """Every pod template of the object."""
    return list(_walk(body, "", ONLY))


def _walk(value: Any, pointer: str, role: str) -> Iterator[PodTemplate]:
    if isinstance(value, dict):
        spec = value.get("spec")
        if isinstance(spec, dict) and isinstance(spec.get("containers"), list):
            yield PodTemplate(role, pointer, dict(_containers(spec, f"{pointer}/spec")))
            return
        for key, item in value.items():
            yield from _walk(item, f"{pointer}/{escape_pointer(key)}", _named(value, pointer, key, role))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            name = (item.get("groupName") or item.get("name")) if isinstance(item, dict) else None
            yield from _walk(item, f"{pointer}/{index}", name if isinstance(name, str) else role)


def _named(value: JsonObject, pointer: str, key: str, role: str) -> str:
    """The role of what stands below a key: a replica type, or a field that is a role."""
    if pointer.endswith("ReplicaSpecs") and isinstance(value[key], dict):
        return key.lower()
    return NAMED_BY_FIELD.get(key, role)


def _containers(spec: JsonObject, pointer: str) -> Iterator[tuple[str, str]]:
    for field in ("initContainers", "containers"):
        items: Any = spec.get(field)
        containers: list[Any] = items if isinstance(items, list) else []
        for index, container in enumerate(containers):
            name = container.get("name") if isinstance(container, dict) else None
            if isinstance(name, str):
                yield name, f"{pointer}/{field}/{index}"
