"""The plan: every job resolved for each of its clusters; every default filled, every reference followed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Literal

from trainshed.model.catalog import Fabric, Taint
from trainshed.model.cluster import Cluster, Pool
from trainshed.model.naming import job_app
from trainshed.model.policy import HouseRule, Waiver
from trainshed.model.provenance import Sources
from trainshed.model.team import TeamOnCluster, VolumeClaim


class Backend(StrEnum):
    """The Kubernetes kind that carries a run."""

    JOB = "job"
    CRONJOB = "cronjob"
    PYTORCHJOB = "pytorchjob"
    RAYJOB = "rayjob"

    @property
    def kind(self) -> str:
        """The kind as Kubernetes spells it."""
        return _KINDS[self]


_KINDS = {
    Backend.JOB: "Job",
    Backend.CRONJOB: "CronJob",
    Backend.PYTORCHJOB: "PyTorchJob",
    Backend.RAYJOB: "RayJob",
}


@dataclass(frozen=True, slots=True)
class EnvVar:
    """One environment variable: plain text, or a key of a Secret or ConfigMap, or a field of the pod."""

    name: str
    kind: Literal["value", "secret", "configMap", "field"]
    value: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Mount:
    """Something mounted into every pod. `kind` says what `origin` names: an object, or a path of the node."""

    name: str
    kind: Literal["claim", "configMap", "secret", "hostPath"]
    origin: str
    mount_path: str
    sub_path: str
    read_only: bool
    field: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file that travels with the run, and the path below /code where it is mounted."""

    path: PurePosixPath
    mounted_as: str
    content: bytes


@dataclass(frozen=True, slots=True)
class GitCode:
    """A commit that an init container clones to /code."""

    repo: str
    commit: str
    secret: str
    image: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a run saves its state. Times in seconds; zero where not said."""

    directory: str
    every_seconds: int
    every_steps: int
    keep_last: int
    keep_best: int
    save_seconds: int
    resume: Literal["auto", "never"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job runs by itself."""

    cron: str
    time_zone: str
    overlap: Literal["forbid", "allow", "replace"]
    keep_succeeded: int
    keep_failed: int
    start_within_seconds: int
    paused: bool


@dataclass(frozen=True, slots=True)
class Scratch:
    """Local space that is gone when the pod is."""

    size: str
    mount_path: str
    medium: Literal["disk", "memory"]


@dataclass(frozen=True, slots=True)
class PodGroup:
    """Like pods of a run: how many, what each asks for, where they may go.

    `requests` are canonical quantities by resource name; `shm` is empty where there is none. The pods go to nodes
    with the labels of any of the `node_terms`, or anywhere if there is none. `field` is the path in the spec that
    described the group: () for the job itself, ("roles", "head") for a role.
    """

    name: str
    min_pods: int
    max_pods: int
    gpus: int
    gpu_resource: str
    image: str
    requests: Mapping[str, str]
    shm: str
    env: tuple[EnvVar, ...]
    node_terms: tuple[Mapping[str, str], ...]
    fabric: Fabric | None
    tolerations: tuple[Taint, ...]
    pools: tuple[Pool, ...]
    field: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunAs:
    """The user of a container; all None where the platform assigns a range of its own (OpenShift)."""

    user: int | None
    group: int | None
    fs_group: int | None
    supplemental_groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A job resolved for one cluster: nothing optional left. Durations in seconds, 0 where there is no limit."""

    job: str
    path: PurePosixPath
    cluster: Cluster
    team: TeamOnCluster
    namespace: str
    backend: Backend
    run: str
    digest: str
    lineage: str
    attempt: int
    description: str
    owner: str
    cost_center: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    framework: str
    ray_version: str
    runtime_env: str
    image: str
    image_pull_policy: str
    image_pull_secrets: tuple[str, ...]
    command: tuple[str, ...]
    args: tuple[str, ...]
    working_dir: str
    code_files: tuple[CodeFile, ...]
    git: GitCode | None
    parameters: str
    procs_per_node: int
    env: tuple[EnvVar, ...]
    env_from_secrets: tuple[str, ...]
    env_from_config_maps: tuple[str, ...]
    groups: tuple[PodGroup, ...]
    scratch: Scratch | None
    queue: str
    priority: str
    mounts: tuple[Mount, ...]
    claims: tuple[VolumeClaim, ...]
    checkpoint: Checkpoint | None
    restarts: int
    fail_on: tuple[int, ...]
    grace_seconds: int
    deadline_seconds: int
    cleanup: str
    schedule: Schedule | None
    service_account: str
    run_as: RunAs
    read_only_root: bool
    privileged: bool
    privileged_why: str
    waivers: tuple[Waiver, ...]
    sources: Sources

    @property
    def app(self) -> str:
        """The app that carries the run."""
        return job_app(self.team.name, self.job)

    @property
    def is_elastic(self) -> bool:
        """Whether the run may go on with fewer pods than it starts with."""
        return any(group.min_pods != group.max_pods for group in self.groups)

    @property
    def max_pods(self) -> int:
        """All pods at the run's largest."""
        return sum(group.max_pods for group in self.groups)

    @property
    def max_gpus(self) -> int:
        """All GPUs at the run's largest."""
        return sum(group.max_pods * group.gpus for group in self.groups)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything resolved: clusters and teams by name, targets and rules in the order of their files."""

    clusters: Mapping[str, Cluster]
    teams: tuple[TeamOnCluster, ...]
    targets: tuple[Target, ...]
    rules: tuple[HouseRule, ...]
