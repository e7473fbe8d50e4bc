"""What one concern adds to a pod: the pod is the sum of its parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.model.pods import EnvVar
from trainshed.model.quantity import sum_quantities


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class PodPart:
    """Additions to a pod template: `mounts`, `env`, `ports` and `resources` go to the training container.

    A variable that two parts set keeps its place and takes the later part's value. `pod` are further fields of the
    pod's spec, `container` of the training container's. `inits` run before it, in the order of the parts.
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
