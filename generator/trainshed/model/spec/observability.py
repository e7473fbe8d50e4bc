"""How a job is watched: metrics, experiment trackers, TensorBoard, debugging, and whom it tells."""

from typing import Annotated, Literal

from pydantic import Field

from trainshed.model.spec.scalars import ContainerPath, Name, Text
from trainshed.model.spec.written import Written

Debug = Literal["nccl", "torch", "flight-recorder"]
Service = Literal["slack", "teams", "email", "webhook", "pagerduty"]


class Metrics(Written):
    """Where the program shows its metrics to Prometheus."""

    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """The port that it listens on."""
    path: ContainerPath | None = None
    """The path of the page; /metrics unless said otherwise."""


class Tracking(Written):
    """An experiment tracker, which finds its settings in its own variables."""

    kind: Literal["wandb", "mlflow", "comet"] | None = None
    """Which tracker."""
    project: Text | None = None
    """The project, or experiment, that the run is recorded in."""
    url: Text | None = None
    """The server; the tracker's own unless said otherwise."""
    secret: Name | None = None
    """The Secret with the API key, or token."""
    key: Text | None = None
    """The key of that Secret."""


class TensorBoard(Written):
    """Where the program writes its event files, at $TRAINSHED_TENSORBOARD_DIR."""

    path: ContainerPath | None = None
    """A directory on something that is mounted: what lies elsewhere is gone with the pod."""
