"""Further parts of a run's pods: ports, checks, and containers beside the training's."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from trainshed.model.manifest import JsonObject
from trainshed.model.pods import EnvVar

GPU_CHECKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"nvidia.com": ("nvidia-smi", "--list-gpus"), "amd.com": ("rocm-smi",)}
)
"""What fails where the driver shows no GPU, by the domain of the resource: programs that come with the driver
(nvidia-smi) or the framework's image (rocm-smi, https://github.com/ROCm/rocm_smi_lib)."""


class ExtraContainer(Struct, frozen=True):
    """A container beside or before the training. `mounts` are paths by the name of the pod's volume."""

    name: str
    image: str
    command: tuple[str, ...]
    args: tuple[str, ...]
    env: tuple[EnvVar, ...]
    mounts: Mapping[str, str]
    cpu: str
    memory: str
    security_context: JsonObject


class Extras(Struct, frozen=True):
    """All further parts of the pods, those of a group's part beside its nodes left out."""

    ports: Mapping[str, int]
    checks_gpus: bool
    checks_storage: bool
    inits: tuple[ExtraContainer, ...]
    sidecars: tuple[ExtraContainer, ...]
