"""Where and how often a job saves its state, and where its results go."""

import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from trainshed.model.codes import Code
from trainshed.model.spec.scalars import ContainerPath, Count, Duration, Name, Quantity, refuse
from trainshed.model.spec.storage import Claim
from trainshed.model.spec.uris import BucketUri
from trainshed.model.spec.written import Lift, Written

_INTEGER = ("integer",)
_RUN_OR_LINEAGE = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)


def _check_resume(text: str) -> str:
    if _RUN_OR_LINEAGE.fullmatch(text) is None:
        raise refuse(
            Code.BAD_VALUE,
            f'"{text}" is neither auto nor never, nor the name of a run or lineage',
            "write auto, never, a run such as resnet-1a2b3c4d, or its lineage of eight digits",
        )
    return text


ResumeFrom: TypeAlias = Annotated[str, AfterValidator(_check_resume)]


class Every(Written):
    """How often a checkpoint is saved."""

    time: Duration | None = None
    """At least this often."""
    steps: Count | None = None
    """After this many steps."""


class Keep(Written):
    """How many checkpoints stay."""

    last: Count | None = None
    """The newest ones."""
    best: Annotated[int, Field(ge=0, le=1000)] | None = None
    """The best ones, by the metric that the code reports."""


class LocalTier(Written):
    """Checkpoints on the node itself: fast, frequent, and gone with the pod."""

    size: Quantity | None = None
    """How much."""
    medium: Literal["disk", "memory"] | None = None
    """disk, or memory (counted as part of the node's memory)."""
    storage: Name | None = None
    """A storage of the cluster to take it from, in place of the node's own disk."""
    every: Annotated[Every | None, Lift(("time",), ("string",))] = None
    """How often: 30s, or {steps: 50}."""


class Kept(Written):
    """Where files go that outlive the run: a volume of the team, a claim of the job's own, or a bucket."""

    volume: Name | None = None
    """A volume of the team."""
    create: Claim | None = None
    """A claim of the job's own, kept when the job is retired."""
    uri: BucketUri | None = None
    """A bucket and a prefix in it, written to by the code itself."""
    credentials: Name | None = None
    """Of a uri: a Secret of the team whose keys become variables, where there is no cloud identity."""
    mount_path: ContainerPath | None = None
    """Where the volume or claim is mounted; /checkpoints or /output unless said otherwise."""
    sub_path: str | None = None
    """A folder inside the volume, mounted in place of the whole."""


class Checkpoint(Kept):
    """Where and how often the run saves its state, so that a restart does not begin from nothing."""

    every: Annotated[Every | None, Lift(("time",), ("string",))] = None
    """How often: 5m, or {steps: 500}."""
    save_time: Duration | None = None
    """What one save takes; checked against the grace period and the notice that spot capacity gives."""
    keep: Annotated[Keep | None, Lift(("last",), _INTEGER)] = None
    """How many stay: 3, or {last: 3, best: 1}."""
    resume: ResumeFrom | None = None
    """auto: go on from the newest complete checkpoint; never: begin anew; else the run or lineage to start from."""
    in_background: bool | None = Field(None, alias="async")
    """true: training goes on while a checkpoint is written."""
    local: Annotated[LocalTier | None, Lift(("size",), ("string", "number"))] = None
    """A fast tier on the node: 100Gi, or {size: 100Gi, medium: memory, every: 30s}."""


class Output(Kept):
    """Where results go, apart from checkpoints."""
