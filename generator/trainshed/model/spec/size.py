"""How large a job is: nodes, GPUs, local space, and the parts that it has."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from trainshed.model.spec.program import EnvValue, Run
from trainshed.model.spec.scalars import ContainerPath, Count, EnvName, Image, Name, Quantity, ResourceName
from trainshed.model.spec.written import Lift, Written

_INTEGER = ("integer",)
_TEXT = ("string", "integer")

MigProfile: TypeAlias = Annotated[str, Field(pattern=r"^[1-7]g\.[0-9]{1,3}gb$")]
"""A slice of a GPU, as NVIDIA calls it: 3g.40gb."""

Extra: TypeAlias = dict[ResourceName, Count | None]
"""Further resources by name, and how many."""


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
    mig: MigProfile | None = None
    """Slices of that profile in place of whole GPUs: 3g.40gb. perNode counts slices."""
    shared: bool | None = None
    """true: a GPU that other pods use at the same time. One for each pod."""
    resource: ResourceName | None = None
    """The resource to ask for, where type and mig do not say enough: amd.com/gpu."""


class Scratch(Written):
    """Fast local space that is gone when the pod is."""

    size: Quantity | None = None
    """How much; the pod is evicted when it writes more."""
    mount_path: ContainerPath | None = None
    """Where it is mounted; /scratch unless said otherwise."""
    medium: Literal["disk", "memory"] | None = None
    """disk, or memory (counted as part of the node's memory)."""
    storage: Name | None = None
    """A storage of the cluster, for a volume that comes and goes with the pod; else it is the node's own disk."""


class Limits(Written):
    """What a pod may take beyond what it asks for."""

    cpu: Quantity | None = None
    """CPUs; as many as are idle unless said otherwise."""
    memory: Quantity | None = None
    """Memory; as much as is asked for unless said otherwise."""


class Role(Written):
    """One part of a job: a Ray head or group of workers, a chief, a parameter server, a launcher."""

    nodes: Annotated[Nodes | None, Lift(("min", "max"), _INTEGER)] = None
    """How many pods; of Ray workers a range, which scales with the load. There is one head, chief, master, launcher."""
    run: Run | None = None
    """What this part runs; what the job runs, unless said otherwise."""
    gpus: Annotated[Gpus | None, Lift(("perNode",), ("integer",))] = None
    """GPUs of each pod."""
    cpu: Quantity | None = None
    """CPUs of each pod."""
    memory: Quantity | None = None
    """Memory of each pod."""
    limits: Limits | None = None
    """What each pod may take beyond its cpu and memory."""
    resources: Extra | None = None
    """Further resources of each pod: {example.com/fpga: 1}."""
    pool: Name | None = None
    """The one pool of the cluster that these pods run on."""
    image: Image | None = None
    """An image of this part's own."""
    env: dict[EnvName, Annotated[EnvValue, Lift(("value",), _TEXT)] | None] | None = None
    """Variables of this part, on top of the job's."""
