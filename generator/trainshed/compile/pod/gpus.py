"""Pods without GPUs in a run that has some."""

from trainshed.compile.pod.part import NO_PART, PodPart
from trainshed.model.plan import Target
from trainshed.model.pods import EnvVar, PodGroup

NVIDIA = "nvidia.com/"


def no_gpus(target: Target, group: PodGroup) -> PodPart:
    """NVIDIA's runtime shows all GPUs of a node to a container of a GPU image that asks for none, unless told not to.

    Source: https://github.com/NVIDIA/k8s-device-plugin, README, the warning under "Running GPU Jobs".
    """
    if group.gpus or not any(other.gpu_resource.startswith(NVIDIA) for other in target.groups):
        return NO_PART
    return PodPart(env=(EnvVar("NVIDIA_VISIBLE_DEVICES", "value", "void"),), source=(*group.field, "gpus"))
