"""What outlives a pod and what it reads: buckets, snapshots, data that is fetched first, and where a run saves."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from trainshed.model.pods import EnvVar, Mount
from trainshed.model.provenance import FieldPath


class Bucket(Struct, frozen=True):
    """A bucket that exists. `account` is Azure's only; `prefix` has no slash around it; `cache` may be empty."""

    scheme: str
    name: str
    account: str
    prefix: str
    cache: str


class Snapshots(Struct, frozen=True):
    """When snapshots of a claim are taken, and how many stay."""

    cron: str
    keep: int


class Fetch(Struct, frozen=True):
    """What an init container fetches to local disk: the mount that it fills, its image, command and variables."""

    mount: Mount
    image: str
    command: tuple[str, ...]
    env: tuple[EnvVar, ...]
    secret: str


class Requirement(Struct, frozen=True):
    """A file below a mount that must be there before the run starts."""

    mount: Mount
    path: str


class Inputs(Struct, frozen=True):
    """What a run's data asks of its pods beyond the mounts.

    `env` tells the code where its data is, `secrets` are taken whole as variables, `annotations` are those that a
    storage driver looks for on pods. `fields` says by name which data a variable is about.
    """

    fetches: tuple[Fetch, ...]
    requirements: tuple[Requirement, ...]
    env: tuple[EnvVar, ...]
    secrets: tuple[str, ...]
    annotations: Mapping[str, str]
    fields: Mapping[str, FieldPath]


class LocalTier(Struct, frozen=True):
    """Space on the node for frequent checkpoints. `storage_class` is empty where it is the node's own disk."""

    size: str
    medium: Literal["disk", "memory"]
    storage_class: str
    every_seconds: int
    every_steps: int


class Checkpoint(Struct, frozen=True):
    """Where a run saves its state: a directory, or the address of one. Times in seconds; zero where not said.

    `resume_from` is the run or lineage to start from, empty with `auto` and `never`.
    """

    directory: str
    every_seconds: int
    every_steps: int
    keep_last: int
    keep_best: int
    save_seconds: int
    resume: Literal["auto", "never", "from"]
    resume_from: str
    in_background: bool
    local: LocalTier | None


class CaBundle(Struct, frozen=True):
    """Certificates to trust: a key of a ConfigMap."""

    config_map: str
    key: str
