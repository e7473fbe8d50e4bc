"""What a kubelet needs to know beside the pod itself."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import PodToRun

HERE = "127.0.0.1"
"""The address of pods in plain rooms, which share this machine's network."""


class ConfigError(Exception):
    """A pod asks for what cannot be had, as its kubelet's CreateContainerConfigError; the message says what."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The objects beside the pods, and what the person who rehearses has said.

    `pods` are all pods that may run, for their names. `secret_values` are by `NAME/KEY`. `local` puts folders of this
    machine at paths of the image; `python` is the folder of programs that comes first in PATH. `environment` holds
    where the pod says nothing. `hurry` is how many times shorter a back-off is than in a cluster.
    """

    pods: tuple[PodToRun, ...] = ()
    config_maps: tuple[JsonObject, ...] = ()
    secrets: tuple[JsonObject, ...] = ()
    services: tuple[JsonObject, ...] = ()
    secret_values: Mapping[str, str] = field(default_factory=dict[str, str])
    local: Mapping[str, Path] = field(default_factory=dict[str, Path])
    python: Path = Path(sys.executable).parent
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    hurry: float = 20.0

    def find_config_map(self, name: str) -> JsonObject | None:
        """The ConfigMap of a name."""
        return _find(self.config_maps, name)

    def find_secret(self, name: str) -> JsonObject | None:
        """The Secret of a name."""
        return _find(self.secrets, name)


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What a pod can ask about itself, and who hears what is noted about it (each sentence once)."""

    pod: PodToRun
    uid: str
    address: str
    folder: Path
    note: Callable[[str], None]

    @property
    def metadata(self) -> JsonObject:
        """The pod's metadata."""
        return self.pod.body.get("metadata") or {}

    @property
    def spec(self) -> JsonObject:
        """The pod's spec."""
        return self.pod.body.get("spec") or {}

    @property
    def namespace(self) -> str:
        """The namespace that the pod lives in."""
        return self.metadata.get("namespace") or "default"

    @property
    def name(self) -> str:
        """The pod's own name in the cluster."""
        return self.metadata.get("name") or self.pod.name

    @property
    def hostname(self) -> str:
        """What the pod calls itself: `spec.hostname`, else its name, as far as 63 characters go."""
        return str(self.spec.get("hostname") or self.name)[:63].rstrip("-.")


def _find(objects: tuple[JsonObject, ...], name: str) -> JsonObject | None:
    return next((one for one in objects if (one.get("metadata") or {}).get("name") == name), None)
