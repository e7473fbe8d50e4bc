"""`kind: TrainingJob`: what to train, with what, how large, where."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict

from trainshed.model.spec.gone import refuse_gone_kind
from trainshed.model.spec.policy import Waivers
from trainshed.model.spec.program import Code, EnvFrom, EnvValue, Run
from trainshed.model.spec.saving import Checkpoint
from trainshed.model.spec.scalars import (
    ContainerPath,
    Duration,
    EnvName,
    Image,
    LabelValue,
    Name,
    Names,
    Quantity,
    Text,
)
from trainshed.model.spec.schedule import Schedule
from trainshed.model.spec.security import Security
from trainshed.model.spec.size import Gpus, Nodes, Role, Scratch
from trainshed.model.spec.storage import DataMount
from trainshed.model.spec.written import Lift, LiftItem, LiftNames, Written

_INTEGER = ("integer",)
_TEXT = ("string", "integer")
_SIZE = ("string", "number")


Framework = Literal["generic", "pytorch", "ray"]
BackendChoice = Annotated[Literal["auto", "job", "pytorchjob", "rayjob"], BeforeValidator(refuse_gone_kind)]
Launcher = Literal["auto", "torchrun", "python"]
Capacity = Literal["on-demand", "spot"]


class JobBody(Written):
    """Everything that a job, a preset, a team or a cluster can say about training."""

    description: str | None = None
    """For people: what this job is."""
    owner: LabelValue | None = None
    """Who answers for it."""
    cost_center: LabelValue | None = None
    """Who pays for it."""
    labels: dict[str, LabelValue | None] | None = None
    """Further labels of the run and its pods."""
    annotations: dict[str, Text | None] | None = None
    """Further annotations of the run and its pods."""

    framework: Framework | None = None
    """pytorch, ray, or generic for any program on one node."""
    backend: BackendChoice | None = None
    """The Kubernetes kind that carries the run; auto picks it by framework, size and what the cluster has."""
    launcher: Launcher | None = None
    """How a script is started: torchrun, python, or auto."""
    ray_version: Text | None = None
    """The Ray release that is in the image."""
    runtime_env: dict[str, Any] | None = None
    """Ray's runtime environment: pip packages, env_vars, working_dir."""

    image: Image | None = None
    """The container image."""
    image_pull_policy: Literal["always", "if-not-present", "never"] | None = None
    """When the node fetches the image."""
    image_pull_secrets: Names | None = None
    """Secrets with the credentials of private registries."""

    code: Code | None = None
    """Code that is not in the image."""
    parameters: dict[str, Any] | None = None
    """Hyper-parameters, mounted as a YAML file at $TRAINSHED_PARAMETERS."""
    working_dir: ContainerPath | None = None
    """The directory that the run starts in."""
    run: Run | None = None
    """What to run."""
    procs_per_node: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Processes on each node; one for each GPU unless said otherwise."""
    env: dict[EnvName, Annotated[EnvValue, Lift(("value",), _TEXT)] | None] | None = None
    """Environment variables: text, or {secret: name, key: key}."""
    env_from: EnvFrom | None = None
    """Whole Secrets and ConfigMaps as environment variables."""

    nodes: Annotated[Nodes | None, Lift(("min", "max"), _INTEGER)] = None
    """How many nodes: 4, or {min: 2, max: 4} for an elastic job, which starts with the most (Ray: the least)."""
    gpus: Annotated[Gpus | None, Lift(("perNode",), ("integer",))] = None
    """GPUs of each node: 4, or {type: h100, perNode: 8}."""
    cpu: Quantity | None = None
    """CPUs of each node; the machine's share for its GPUs unless said otherwise."""
    memory: Quantity | None = None
    """Memory of each node; the machine's share for its GPUs unless said otherwise."""
    shm: Quantity | Literal["auto", "none"] | None = None
    """Shared memory at /dev/shm, part of the memory: auto, none, or a size."""
    scratch: Annotated[Scratch | None, Lift(("size",), _SIZE)] = None
    """Local space: 100Gi, or {size: 100Gi, mountPath: /tmp/cache}."""
    fabric: Name | Literal["auto", "none"] | None = None
    """The fast network between nodes: auto takes what the machine has."""
    roles: dict[Name, Role | None] | None = None
    """The parts of a Ray cluster: head, and worker groups. The head runs tasks only where there are no workers."""

    queue: Name | Literal["none"] | None = None
    """The queue; the team's own unless said otherwise, none to run at once."""
    priority: Name | None = None
    """A priority of the cluster: low, normal, high."""
    capacity: Capacity | None = None
    """on-demand, or spot for machines that can be taken away."""
    pool: Name | None = None
    """The one pool of the cluster to run on, where accelerator and capacity do not say enough."""

    data: dict[Name, DataMount | None] | None = None
    """What is mounted, by name."""
    checkpoint: Checkpoint | None = None
    """Where and how often state is saved."""

    restarts: Annotated[int, Field(ge=0, le=1000)] | None = None
    """How often the whole job starts again after a failure; 0 unless said otherwise. A drain costs a Job nothing."""
    fail_on: Annotated[tuple[Annotated[int, Field(ge=1, le=255)], ...], Strict(False)] | None = None
    """Exit codes after which starting again is useless."""
    grace_period: Duration | None = None
    """What the run gets between the signal to stop and the kill."""
    deadline: Duration | None = None
    """The longest that the run may take."""
    cleanup: Literal["running", "all", "none"] | None = None
    """Which pods go when the run has ended; running unless said otherwise."""

    service_account: Name | None = None
    """An existing service account in place of the team's."""
    security: Security | None = None
    """User, groups, privileges."""


class JobPart(JobBody):
    """What a job says for one cluster only."""

    attempt: Annotated[int, Field(ge=1, le=999)] | None = None
    """Raise it to run the very same job again."""


class TrainingJobSpec(JobPart):
    """A job: what to train, with what, how large, where."""

    api_version: Literal["trainshed/v1"]
    """The version of this grammar."""
    kind: Literal["TrainingJob"]
    """This is a job."""
    name: Name
    """The job's name; runs are called <name>-<digest>."""
    team: Name
    """The team whose namespace, queue, volumes and defaults the job takes."""
    extends: Annotated[Names | None, LiftItem()] = None
    """Presets that the job starts from, in order; later ones and the job's own lines win."""
    clusters: Annotated[dict[Name, JobPart | None] | None, LiftNames()] = None
    """The clusters that the job runs on, and what differs there."""
    schedule: Annotated[Schedule | None, Lift(("cron",), ("string",))] = None
    """When the job runs by itself: "0 2 * * 0", or {cron: …, timeZone: …}."""
    waive: Waivers | None = None
    """Rules that the job is excused from, each with the reason: [{rule: deadline-missing, because: …}]."""
