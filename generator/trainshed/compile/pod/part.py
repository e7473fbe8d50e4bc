"""What one concern adds to a pod: the pod is the sum of its parts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from trainshed.compile.said import NAME
from trainshed.model.manifest import JsonObject, escape_pointer
from trainshed.model.pods import EnvVar
from trainshed.model.provenance import FieldPath
from trainshed.model.quantity import sum_quantities

CONTAINER = "/spec/containers/0"
"""Where the training container stands in a pod template."""

LISTS: Mapping[str, str] = {
    "volumes": "/spec/volumes",
    "inits": "/spec/initContainers",
    "mounts": f"{CONTAINER}/volumeMounts",
    "ports": f"{CONTAINER}/ports",
}
MAPS: Mapping[str, str] = {
    "labels": "/metadata/labels",
    "annotations": "/metadata/annotations",
    "pod": "/spec",
    "container": CONTAINER,
}
"""Where in the template stands what the parts add."""


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class PodPart:
    """Additions to a pod template: `mounts`, `env`, `ports` and `requests` go to the training container.

    A variable that two parts set keeps its place and takes the later part's value. `pod` are further fields of the
    pod's spec, `container` of the training container's. `inits` run before it, in the order of the parts.

    `source` is the field of the spec that asks for the part, `sources` the fields of those things in it that have one
    of their own, by the name of a volume, init container, variable or port, or the key of a label or field.
    """

    labels: Mapping[str, str] = field(default_factory=_nothing)
    annotations: Mapping[str, str] = field(default_factory=_nothing)
    env: tuple[EnvVar, ...] = ()
    volumes: tuple[JsonObject, ...] = ()
    mounts: tuple[JsonObject, ...] = ()
    inits: tuple[JsonObject, ...] = ()
    ports: tuple[JsonObject, ...] = ()
    requests: Mapping[str, str] = field(default_factory=_nothing)
    pod: Mapping[str, Any] = field(default_factory=_nothing)
    container: Mapping[str, Any] = field(default_factory=_nothing)
    source: FieldPath = NAME
    sources: Mapping[str, FieldPath] = field(default_factory=_nothing)

    def source_of(self, name: str) -> FieldPath:
        """The field that asks for one thing in the part."""
        return self.sources.get(name, self.source)


NO_PART = PodPart()


@dataclass(frozen=True, slots=True)
class PodSum:
    """All parts of a pod together."""

    parts: tuple[PodPart, ...] = field(default=())

    @classmethod
    def of(cls, parts: Iterable[PodPart]) -> "PodSum":
        """The parts in their order."""
        return cls(tuple(parts))

    def gather(self, name: str) -> list[Any]:
        """A list that the parts add to."""
        return [item for part in self.parts for item in getattr(part, name)]

    def merge(self, name: str) -> dict[str, Any]:
        """A map that the parts add to; later parts win."""
        return {key: value for part in self.parts for key, value in getattr(part, name).items()}

    @property
    def requests(self) -> dict[str, str]:
        """What the parts ask for, each resource added up."""
        asked: dict[str, list[str]] = {}
        for part in self.parts:
            for resource, quantity in part.requests.items():
                asked.setdefault(resource, []).append(quantity)
        return {
            resource: quantities[0] if len(quantities) == 1 else sum_quantities(quantities)
            for resource, quantities in asked.items()
        }

    @property
    def env(self) -> tuple[EnvVar, ...]:
        """The variables, each once."""
        return tuple({variable.name: variable for variable in self.gather("env")}.values())

    def origins(self) -> Iterator[tuple[str, FieldPath]]:
        """For each thing in the template its place, as a JSON pointer, and the field that asks for it."""
        for name, place in LISTS.items():
            added = ((part, item["name"]) for part in self.parts for item in getattr(part, name))
            for index, (part, item) in enumerate(added):
                yield f"{place}/{index}", part.source_of(item)
        variables = {variable.name: part for part in self.parts for variable in part.env}
        for index, (variable, part) in enumerate(variables.items()):
            yield f"{CONTAINER}/env/{index}", part.source_of(variable)
        for name, place in MAPS.items():
            adders = {key: part for part in self.parts for key in getattr(part, name)}
            for key, part in adders.items():
                yield f"{place}/{escape_pointer(key)}", part.source_of(key)
