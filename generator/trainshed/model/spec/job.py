"""`kind: TrainingJob`: what to train, with what, how large, where."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict

from trainshed.model.spec.affinity import Affinity, Toleration
from trainshed.model.spec.extras import ExtraContainers, Preflight
from trainshed.model.spec.fabric import Fabric
from trainshed.model.spec.failing import Restarts, SuccessWhen
from trainshed.model.spec.frameworks import explain_framework
from trainshed.model.spec.gone import refuse_gone_kind
from trainshed.model.spec.observability import Debug, Metrics, Service, TensorBoard, Tracking
from trainshed.model.spec.patches import Patches, RawObjects
from trainshed.model.spec.policy import Waivers
from trainshed.model.spec.program import Code, EnvFrom, EnvValue, Run
from trainshed.model.spec.ray import Autoscaler
from trainshed.model.spec.rendezvous import Rendezvous
from trainshed.model.spec.saving import Checkpoint, Output
from trainshed.model.spec.scalars import (
    ContainerPath,
    Duration,
    EnvName,
    Image,
    LabelValue,
    Name,
    Names,
    PortName,
    Quantity,
    Text,
    Texts,
)
from trainshed.model.spec.schedule import Schedule
from trainshed.model.spec.security import CaBundle, Security
from trainshed.model.spec.size import Extra, Gpus, Limits, Nodes, Role, Scratch
from trainshed.model.spec.storage import DataMount
from trainshed.model.spec.sweep import Sweep
from trainshed.model.spec.topology import Closeness
from trainshed.model.spec.written import Lift, LiftItem, LiftNames, Written

_INTEGER = ("integer",)
_TEXT = ("string", "integer")
_SIZE = ("string", "number")


Framework = Annotated[
    Literal[
        "generic",
        "pytorch",
        "tensorflow",
        "jax",
        "xgboost",
        "lightgbm",
        "paddle",
        "mpi",
        "horovod",
        "ray",
    ],
    BeforeValidator(explain_framework),
]
BackendChoice = Annotated[
    Literal[
        "auto",
        "job",
        "pytorchjob",
        "tfjob",
        "mpijob",
        "xgboostjob",
        "paddlejob",
        "jaxjob",
        "trainjob",
        "jobset",
        "rayjob",
        "raycluster",
        "volcanojob",
    ],
    BeforeValidator(refuse_gone_kind),
]
Launcher = Literal["auto", "torchrun", "accelerate", "deepspeed", "mpirun", "python"]
Capacity = Literal["on-demand", "spot", "reserved"]
Capacities = Annotated[tuple[Capacity, ...], Field(min_length=1), Strict(False)]


class JobBody(Written):
    """Everything that a job, a preset, a team or a cluster can say about training."""

    description: str | None = None
    """For people: what this job is."""
    tags: Texts | None = None
    """For people: words to find the job by."""
    owner: LabelValue | None = None
    """Who answers for it."""
    cost_center: LabelValue | None = None
    """Who pays for it."""
    labels: dict[str, LabelValue | None] | None = None
    """Further labels of the run and its pods."""
    annotations: dict[str, Text | None] | None = None
    """Further annotations of the run and its pods."""

    framework: Framework | None = None
    """What trains: pytorch, tensorflow, jax, ray, …; generic for any program, whose pods do not talk to each other."""
    backend: BackendChoice | None = None
    """The Kubernetes kind that carries the run; auto picks it by framework, size and what the cluster has."""
    launcher: Launcher | None = None
    """How a script is started: torchrun, accelerate, deepspeed, mpirun, python, or auto."""
    ray_version: Text | None = None
    """The Ray release that is in the image."""
    runtime_env: dict[str, Any] | None = None
    """Ray's runtime environment: pip packages, env_vars, working_dir."""
    autoscaler: Autoscaler | None = None
    """How a Ray cluster whose workers are a range grows and shrinks."""

    rendezvous: Rendezvous | None = None
    """How the nodes of an elastic job find one another."""

    image: Image | None = None
    """The container image."""
    image_pull_policy: Literal["always", "if-not-present", "never"] | None = None
    """When the node fetches the image."""
    image_pull_secrets: Names | None = None
    """Secrets with the credentials of private registries."""

    code: Code | None = None
    """Code that is not in the image."""
    runtime: Literal["carried", "installed", "none"] | None = None
    """trainshed's training runtime, which starts the program: carried with the run, installed in its image, or none."""
    parameters: dict[str, Any] | None = None
    """Hyper-parameters, mounted as a YAML file at $TRAINSHED_PARAMETERS."""
    sweep: Sweep | None = None
    """Many configurations of the same job: {grid: {lr: [1e-4, 3e-4]}, parallel: 2}, each in its own pod."""
    working_dir: ContainerPath | None = None
    """The directory that the run starts in."""
    run: Run | None = None
    """What to run."""
    procs_per_node: Annotated[int, Field(ge=1, le=1024)] | Literal["auto", "cpu"] | None = None
    """Processes on each node: a number, auto for one for each GPU, cpu for one for each CPU; auto unless said."""
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
    ephemeral_storage: Quantity | None = None
    """Local disk of each node that is set aside for its pod: what it writes outside its volumes, and its scratch."""
    limits: Limits | None = None
    """What a pod may take beyond its cpu and memory."""
    resources: Extra | None = None
    """Further resources of each node: {example.com/fpga: 1}."""
    platform: Literal["amd64", "arm64"] | None = None
    """The architecture that the image is built for; amd64 where the cluster has such machines."""
    fabric: Annotated[Fabric | None, Lift(("name",), ("string",))] = None
    """The fast network between nodes: auto takes what the machine has; none, efa, or {name: efa, verify: off}."""
    roles: dict[Name, Role | None] | None = None
    """Parts of a job that differ: a Ray head and groups of workers, a chief and parameter servers, a launcher."""

    queue: Name | Literal["none"] | None = None
    """The queue; the team's own unless said otherwise, none to run at once."""
    priority: Name | None = None
    """A priority of the cluster: low, normal, high."""
    preemptible: bool | None = None
    """false: nobody drives the run out; it waits for what is guaranteed to the team. true unless said otherwise."""
    gang: Literal["auto", "none"] | None = None
    """none: pods may start one by one. auto: all start together, by what the cluster has for that."""
    topology: Closeness | None = None
    """How close together the pods are placed: {required: rack}, {preferred: block}."""
    exclusive: Name | None = None
    """A level of the cluster's topology of which no domain is shared with another run: rack, host."""
    capacity: Annotated[Capacities | None, LiftItem()] = None
    """on-demand, spot for machines that can be taken away, reserved; or several, in order: [spot, on-demand]."""
    pool: Name | None = None
    """The one pool of the cluster to run on, where accelerator and capacity do not say enough."""

    node_selector: dict[str, LabelValue | None] | None = None
    """Labels that the nodes must have, beside those of the pools."""
    affinity: Affinity | None = None
    """Affinity as Kubernetes spells it, beside what the pools say."""
    tolerations: Annotated[tuple[Toleration, ...], Strict(False)] | None = None
    """Taints that the pods tolerate, beside those of the pools."""
    avoid_nodes: Texts | None = None
    """Host names of nodes that the pods stay away from."""
    scheduler: Name | None = None
    """The scheduler of the pods; the cluster's own unless said otherwise."""
    ports: dict[PortName, Annotated[int, Field(ge=1, le=65535)] | None] | None = None
    """Further ports of the pods, by name: {debug: 5678}."""

    data: dict[Name, DataMount | None] | None = None
    """What is mounted, by name."""
    checkpoint: Checkpoint | None = None
    """Where and how often state is saved."""
    output: Annotated[Output | None, Lift(("volume",), ("string",))] = None
    """Where results go, apart from checkpoints: results, or {volume: results, mountPath: /output}."""

    restarts: Annotated[Restarts | None, Lift(("failures",), _INTEGER)] = None
    """How often the whole job starts again after a failure: 5, or {failures: 5, faults: unlimited}."""
    fail_on: Annotated[tuple[Annotated[int, Field(ge=1, le=255)], ...], Strict(False)] | None = None
    """Exit codes after which starting again is useless."""
    retry_on: Annotated[tuple[Annotated[int, Field(ge=1, le=255)], ...], Strict(False)] | None = None
    """The only exit codes after which starting again is worth it."""
    success_when: Annotated[SuccessWhen | None, Lift(("done",), ("string",))] = None
    """What has to end well: all, any, or {role: chief}; the kind's own way unless said otherwise."""
    startup_timeout: Duration | None = None
    """How long the run may take from its admission to the start of its program."""
    keep_failed_for: Duration | None = None
    """How long the pods stay after the end, to be looked at."""
    grace_period: Duration | None = None
    """What the run gets between the signal to stop and the kill."""
    shutdown_timeout: Duration | None = None
    """What torchrun gives its processes of that; all but ten seconds unless said otherwise."""
    deadline: Duration | None = None
    """The longest that the run may take."""
    cleanup: Literal["running", "all", "none"] | None = None
    """Which pods go when the run has ended; running unless said otherwise."""
    do_not_disrupt: bool | None = None
    """true: autoscalers and drains of nodes wait until the run has ended."""
    hang: Duration | None = None
    """How long torch waits for a stuck NCCL, and the runtime for the next step, before it ends the processes."""

    metrics: Annotated[Metrics | None, Lift(("port",), _INTEGER)] = None
    """Where the program shows its metrics: 9400, or {port: 9400, path: /metrics}."""
    tracking: Tracking | None = None
    """The experiment tracker: {kind: wandb, project: fraud, secret: wandb, key: api-key}."""
    tensorboard: Annotated[TensorBoard | None, Lift(("path",), ("string",))] = None
    """Where event files go, told the program as $TRAINSHED_TENSORBOARD_DIR."""
    debug: Annotated[tuple[Debug, ...] | None, Strict(False), LiftItem()] = None
    """Whom to let talk: nccl, torch, flight-recorder."""
    notify: dict[Service, Annotated[Texts | None, LiftItem()]] | None = None
    """Whom Argo CD tells when the run fails or has ended: {slack: ml-alerts}."""

    service_account: Name | None = None
    """An existing service account in place of the team's."""
    security: Security | None = None
    """User, groups, privileges."""
    ca_bundle: CaBundle | None = None
    """Certificates to trust in place of the image's own."""
    namespace: Name | None = None
    """Another of the team's namespaces."""

    preflight: Preflight | None = None
    """Checks before the training starts."""
    init_containers: ExtraContainers | None = None
    """Containers that run before the training, in their order."""
    sidecars: ExtraContainers | None = None
    """Containers that run beside the training and end with it."""
    patches: Patches | None = None
    """Edits of what is rendered, for what no field says; made last, judged like the rest."""
    raw_objects: RawObjects | None = None
    """Further objects that travel with the run, as Kubernetes spells them."""
    when_edited: Literal["replace", "keep"] | None = None
    """What an edit, or a new attempt, does to the run before: it ends, or it stays beside it until archived."""


class JobPart(JobBody):
    """What a job says for one cluster only."""

    attempt: Annotated[int, Field(ge=1, le=999)] | None = None
    """Raise it to run the very same job again."""
    state: Literal["running", "stopped"] | None = None
    """stopped takes the run from the cluster, and leaves its claims; running unless said otherwise."""


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
    environments: dict[LabelValue, JobPart | None] | None = None
    """What differs on clusters of an environment: {dev: {nodes: 1}}; a cluster's own part wins."""
    schedule: Annotated[Schedule | None, Lift(("cron",), ("string",))] = None
    """When the job runs by itself: "0 2 * * 0", or {cron: …, timeZone: …}."""
    waive: Waivers | None = None
    """Rules that the job is excused from, each with the reason: [{rule: deadline-missing, because: …}]."""
