"""The GPUs of a pool's nodes as pods see them: whole, in slices, or shared."""

from typing import Literal

from msgspec import Struct

GPU_OPERATOR = "gpu-operator"
MIG_LABEL = "nvidia.com/mig.config"
SHARING_LABEL = "nvidia.com/device-plugin.config"
"""What the operator reads on a node: the names of a layout of slices, and of a way of sharing."""

SHARED_SUFFIX = ".shared"
"""By `renameByDefault`: a pod that asks for a whole GPU never gets a shared one."""

VENDORS = ("nvidia.com/gpu", "nvidia.com/mig-", "amd.com/gpu", "gpu.intel.com/", "habana.ai/gaudi")
"""How the resources begin by which vendors' device plugins hand out GPUs and their parts."""

Sharing = Literal["", "timeSlicing", "mps"]


def is_gpu(resource: str) -> bool:
    """Whether pods ask for GPUs, or parts of them, by this name."""
    return resource.startswith(VENDORS)


class NodeGpus(Struct, frozen=True):
    """What pods can ask for on one node: `count` units of `resource`.

    A unit is a whole GPU, or a slice of profile `mig` (`3g.40gb`); with `sharing`, each is handed out `replicas` times.
    """

    type: str
    count: int
    resource: str
    mig: str = ""
    sharing: Sharing = ""
    replicas: int = 1

    @property
    def is_whole(self) -> bool:
        """Whether a unit is a GPU that no other pod uses."""
        return not self.mig and not self.sharing

    def __str__(self) -> str:
        shared = "shared " if self.sharing else ""
        return f"{shared}{self.type}{f' slices of {self.mig}' if self.mig else ''}"
