"""The plan: every job resolved for each of its clusters; every default filled, every reference followed."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

from msgspec import Struct

from trainshed.model.backend import Backend, Faults, Scope
from trainshed.model.cluster import Cluster
from trainshed.model.extras import Extras
from trainshed.model.naming import job_app
from trainshed.model.nodes import NodeWishes
from trainshed.model.observability import Observability
from trainshed.model.patches import Edits
from trainshed.model.pods import CodeFile, EnvVar, GitCode, Mount, PodGroup, RunAs, Scratch
from trainshed.model.policy import HouseRule, Waiver
from trainshed.model.provenance import Sources
from trainshed.model.queueing import Scheduling
from trainshed.model.ray import Autoscaler
from trainshed.model.rendezvous import Rendezvous
from trainshed.model.seal import Life
from trainshed.model.storage import CaBundle, Checkpoint, Inputs
from trainshed.model.sweep import Success, Sweep
from trainshed.model.team import TeamOnCluster, VolumeClaim


class Schedule(Struct, frozen=True):
    """When a job runs by itself."""

    cron: str
    time_zone: str
    overlap: Literal["forbid", "allow", "replace"]
    keep_succeeded: int
    keep_failed: int
    start_within_seconds: int
    paused: bool
    resume_previous: bool


class Restarts(Struct, frozen=True):
    """How often a run starts again: after failures of its code, and after faults of the cluster.

    `scope` is what starts again, where the spec says so.
    """

    failures: int
    faults: Faults
    scope: Scope | None = None


class Role(Struct, frozen=True):
    """A part of the kind as it is rendered: its name, how many pods it has, and what they are like."""

    name: str
    pods: int
    group: PodGroup


class Target(Struct, frozen=True):
    """A job resolved for one cluster: nothing optional left. Durations in seconds, 0 where there is no limit.

    `mpirun` says that the launcher's command is our mpirun, and not a program of the job's own. `defaults` is a hash of
    everything that was said about the job, in whichever layer; `life` is what Git holds of it.
    """

    job: str
    path: PurePosixPath
    cluster: Cluster
    team: TeamOnCluster
    namespace: str
    backend: Backend
    why: tuple[str, ...]
    run: str
    digest: str
    lineage: str
    attempt: int
    stopped: bool
    description: str
    owner: str
    cost_center: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    tags: tuple[str, ...]
    framework: str
    ray_version: str
    runtime_env: str
    autoscaler: Autoscaler | None
    image: str
    image_pull_policy: str
    image_pull_secrets: tuple[str, ...]
    command: tuple[str, ...]
    args: tuple[str, ...]
    mpirun: bool
    working_dir: str
    code_files: tuple[CodeFile, ...]
    git: GitCode | None
    runtime: Literal["carried", "installed", "none"]
    parameters: str
    sweep: Sweep | None
    procs_per_node: int
    env: tuple[EnvVar, ...]
    env_from_secrets: tuple[str, ...]
    env_from_config_maps: tuple[str, ...]
    groups: tuple[PodGroup, ...]
    scratch: Scratch | None
    queue: str
    priority: str
    scheduling: Scheduling
    node_wishes: NodeWishes
    rendezvous: Rendezvous | None
    extras: Extras
    edits: Edits
    mounts: tuple[Mount, ...]
    claims: tuple[VolumeClaim, ...]
    inputs: Inputs
    checkpoint: Checkpoint | None
    output: str
    restarts: Restarts
    fail_on: tuple[int, ...]
    retry_on: tuple[int, ...]
    success: Success | None
    startup_seconds: int
    keep_failed_seconds: int
    grace_seconds: int
    shutdown_seconds: int
    deadline_seconds: int
    cleanup: str
    do_not_disrupt: bool
    observability: Observability
    schedule: Schedule | None
    service_account: str
    run_as: RunAs
    seccomp: str
    ca_bundle: CaBundle | None
    read_only_root: bool
    privileged: bool
    privileged_why: str
    waivers: tuple[Waiver, ...]
    when_edited: Literal["replace", "keep"]
    defaults: str
    sources: Sources
    life: Life

    @property
    def app(self) -> str:
        """The app that carries the run."""
        return job_app(self.team.name, self.job)

    @property
    def releases(self) -> Mapping[str, str]:
        """The releases that judge and carry the run: Kubernetes, the kind's operator, Kueue where it queues."""
        operators = {self.backend.carrier.operator, "kueue" if self.queue else ""}
        installed = {
            name: self.cluster.operators[name].release for name in operators & self.cluster.operators.keys()
        }
        return {"kubernetes": self.cluster.kubernetes, **dict(sorted(installed.items()))}

    @property
    def roles(self) -> tuple[Role, ...]:
        """The parts of the kind: the groups, or of a job that only says its nodes, one first and the rest."""
        known = self.backend.carrier.roles
        (*_, group) = self.groups
        if len(self.groups) > 1 or group.field or not known.first or self.is_elastic:
            return tuple(Role(group.name, group.max_pods, group) for group in self.groups)
        parts = (Role(known.first, 1, group), Role(known.rest, group.max_pods - 1, group))
        return tuple(part for part in parts if part.pods)

    @property
    def indexes(self) -> int:
        """How many pods an index tells apart: the points of a sweep, or workers that do not talk; 0 for other kinds."""
        if self.sweep is not None:
            return len(self.sweep.points)
        return self.max_pods if self.backend.is_alone and self.max_pods > 1 else 0

    @property
    def is_over(self) -> bool:
        """Whether the run that the spec asks for is not to run: it was stopped, or it has ended and was archived."""
        return not self.life.renders and self.life.current is None

    @property
    def renders_anything(self) -> bool:
        """Whether any of its objects is rendered now: those of its run, or claims that nothing stands for yet."""
        lacks_claims = self.life.current is None and len(self.life.claims) < len(self.claims)
        return self.life.renders or lacks_claims

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it is in Git but records: it is over, and has no claims to keep."""
        return not self.renders_anything and not self.life.files

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


class Plan(Struct, frozen=True):
    """Everything resolved: clusters and teams by name, targets and rules in the order of their files."""

    clusters: Mapping[str, Cluster]
    teams: tuple[TeamOnCluster, ...]
    targets: tuple[Target, ...]
    rules: tuple[HouseRule, ...]
