"""How large a job is: nodes, GPUs, local space, and the parts of a Ray cluster."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.program import EnvValue
from trainshed.model.spec.scalars import ContainerPath, Count, EnvName, Image, Name, Quantity
from trainshed.model.spec.written import Lift, Written

_INTEGER = ("integer",)
_TEXT = ("string", "integer")


class Nodes(Written):
    """How many nodes: a fixed number, or a range for an elastic job."""

    min: Count | None = None
    """The fewest nodes that the job can go on with."""
    max: Count | None = None
    """The most nodes that the job can use."""


class Gpus(Written):
    """The GPUs of each node."""

    per_node: Annotated[int, Field(ge=0, le=64)] | None = None
    """GPUs on each node; 0 for none."""
    type: Name | None = None
    """The accelerator, as the cluster's machines name it: h100, a100, l4."""


class Scratch(Written):
    """Fast local space that is gone when the pod is."""

    size: Quantity | None = None
    """How much; the pod is evicted when it writes more."""
    mount_path: ContainerPath | None = None
    """Where it is mounted; /scratch unless said otherwise."""
    medium: Literal["disk", "memory"] | None = None
    """disk, or memory (counted as part of the node's memory)."""


class Role(Written):
    """One part of a Ray cluster: the head, or a group of workers."""

    nodes: Annotated[Nodes | None, Lift(("min", "max"), _INTEGER)] = None
    """How many pods; a range scales with the load. The head is always one."""
    gpus: Annotated[Gpus | None, Lift(("perNode",), ("integer",))] = None
    """GPUs of each pod."""
    cpu: Quantity | None = None
    """CPUs of each pod."""
    memory: Quantity | None = None
    """Memory of each pod."""
    pool: Name | None = None
    """The one pool of the cluster that these pods run on."""
    image: Image | None = None
    """An image of this part's own."""
    env: dict[EnvName, Annotated[EnvValue, Lift(("value",), _TEXT)] | None] | None = None
    """Variables of this part, on top of the job's."""
