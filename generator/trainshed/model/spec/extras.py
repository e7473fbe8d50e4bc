"""Further containers of a run's pods, and checks before the training starts."""

from typing import Annotated, Any

from pydantic import Strict

from trainshed.model.spec.program import EnvValue
from trainshed.model.spec.scalars import ContainerPath, EnvName, Image, Name, Quantity, Texts
from trainshed.model.spec.written import Lift, Written


class Preflight(Written):
    """Checks before the training starts; what fails them fails like the training itself."""

    gpus: bool | None = None
    """true: nvidia-smi of the job's own image must find the GPUs."""
    storage: bool | None = None
    """true: everything mounted for writing must be writable by the run's user."""


class ExtraContainer(Written):
    """A container beside or before the training."""

    name: Name
    """Its name."""
    image: Image | None = None
    """Its image; the job's own unless said otherwise."""
    command: Texts | None = None
    """What it runs; the image's own entrypoint unless said otherwise."""
    args: Texts | None = None
    """Arguments, one list item each."""
    env: dict[EnvName, Annotated[EnvValue, Lift(("value",), ("string", "integer"))] | None] | None = None
    """Environment variables: text, or {secret: name, key: key}."""
    mounts: dict[Name, ContainerPath | None] | None = None
    """What it sees of the job's data, by name, and where: {dataset: /data}; also checkpoints, scratch, shm and code."""
    cpu: Quantity | None = None
    """Its CPUs; 100m unless said otherwise."""
    memory: Quantity | None = None
    """Its memory; 256Mi unless said otherwise."""
    security_context: dict[str, Any] | None = None
    """Its security context as Kubernetes spells it; restricted, as the training's own, unless said otherwise."""


ExtraContainers = Annotated[tuple[ExtraContainer, ...], Strict(False)]
