"""The contract between the manifest and the process: every variable that is read, in one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class ContractError(ValueError):
    """A variable that cannot be read as what it should hold."""


@dataclass(frozen=True)
class Contract:
    """What the manifest asks of the run. Unset variables leave the defaults, with which a plain `python train.py` runs.

    `directory` is a folder or an address such as `s3://bucket/path`; `None` means that nothing is saved.
    Intervals and numbers of checkpoints to keep are 0 where the manifest says nothing.
    """

    directory: str | None = None
    resume: str = "auto"
    resume_from: str | None = None
    every_seconds: float = 0
    every_steps: int = 0
    keep_last: int = 0
    keep_best: int = 0
    save_seconds: float = 0
    in_background: bool = False
    local_dir: str | None = None
    local_every_seconds: float = 0
    local_every_steps: int = 0
    grace_seconds: float = 30
    job: str = ""
    run: str = ""
    attempt: int = 1
    firing: str | None = None
    role: str | None = None
    parameters: str | None = None
    output: str | None = None
    sweep_index: int | None = None
    progress: str | None = None
    notice: str | None = None
    hang_seconds: float = 0

    @property
    def identity(self) -> str:
        """What tells the run from others that share its checkpoints: the firing of a schedule, else the name."""
        return self.firing or self.run

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> Contract:
        """The contract that these variables state.

        Raises:
            ContractError: a value is not what its variable holds; the message names the variable.

        """
        given: dict[str, Any] = {}
        for variable in VARIABLES:
            text = environ.get(variable.name, "")
            if text:
                given[variable.field] = variable.read_from(text)
        contract = cls(**given)
        if contract.resume == "from" and not contract.resume_from:
            raise ContractError(
                "TRAINSHED_CHECKPOINT_RESUME is 'from': TRAINSHED_CHECKPOINT_RESUME_FROM must name a run or lineage"
            )
        return contract


class Variable(NamedTuple):
    """A row of the contract: the variable, the field of `Contract` that it fills, how it is read, what it means."""

    name: str
    field: str
    read: Callable[[str], Any]
    words: str

    def read_from(self, text: str) -> Any:
        """What the text says, or a `ContractError` that names the variable."""
        try:
            return self.read(text)
        except ValueError as error:
            raise ContractError(f"{self.name} is {text!r}: it must be {error}") from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("a whole number of 0 or more")
    return int(text)


def _attempt(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError("a whole number of 1 or more")
    return int(text)


def _seconds(text: str) -> float:
    if not (text.isascii() and text.replace(".", "", 1).isdigit()):
        raise ValueError("a number of seconds, of 0 or more")
    return float(text)


def _true(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("true or false")
    return text == "true"


def _resume(text: str) -> str:
    if text not in ("auto", "never", "from"):
        raise ValueError("auto, never or from")
    return text


VARIABLES: tuple[Variable, ...] = (
    Variable("TRAINSHED_JOB", "job", str, "the job's name"),
    Variable("TRAINSHED_RUN", "run", str, "the run's name"),
    Variable("TRAINSHED_ATTEMPT", "attempt", _attempt, "which attempt of the run this is, from 1"),
    Variable("TRAINSHED_FIRING", "firing", str, "the name of this firing of a schedule"),
    Variable("TRAINSHED_ROLE", "role", str, "the role that the pod plays"),
    Variable("TRAINSHED_PARAMETERS", "parameters", str, "the path of a YAML file that holds the parameters"),
    Variable(
        "JOB_COMPLETION_INDEX", "sweep_index", _count, "the pod's index in an indexed Job, as in a sweep"
    ),
    Variable("TRAINSHED_OUTPUT_DIR", "output", str, "where results go"),
    Variable("TRAINSHED_CHECKPOINT_DIR", "directory", str, "where to save: the lineage's folder"),
    Variable("TRAINSHED_CHECKPOINT_RESUME", "resume", _resume, "auto, never or from"),
    Variable("TRAINSHED_CHECKPOINT_RESUME_FROM", "resume_from", str, "the run or lineage to start from"),
    Variable("TRAINSHED_CHECKPOINT_EVERY_SECONDS", "every_seconds", _seconds, "save at least this often"),
    Variable("TRAINSHED_CHECKPOINT_EVERY_STEPS", "every_steps", _count, "save after this many steps"),
    Variable("TRAINSHED_CHECKPOINT_KEEP_LAST", "keep_last", _count, "how many of the newest to keep"),
    Variable("TRAINSHED_CHECKPOINT_KEEP_BEST", "keep_best", _count, "how many of the best to keep"),
    Variable("TRAINSHED_CHECKPOINT_SAVE_SECONDS", "save_seconds", _seconds, "what one save takes"),
    Variable("TRAINSHED_CHECKPOINT_ASYNC", "in_background", _true, "train on while a checkpoint is written"),
    Variable(
        "TRAINSHED_CHECKPOINT_LOCAL_DIR", "local_dir", str, "a fast folder on the node, gone with the pod"
    ),
    Variable(
        "TRAINSHED_CHECKPOINT_LOCAL_EVERY_SECONDS", "local_every_seconds", _seconds, "save there this often"
    ),
    Variable(
        "TRAINSHED_CHECKPOINT_LOCAL_EVERY_STEPS",
        "local_every_steps",
        _count,
        "save there after as many steps",
    ),
    Variable("TRAINSHED_GRACE_SECONDS", "grace_seconds", _seconds, "from the signal to stop until the kill"),
    Variable("TRAINSHED_PROGRESS", "progress", str, "the folder where each rank says how far it is"),
    Variable("TRAINSHED_NOTICE", "notice", str, "a file that appears when the node is to be reclaimed"),
    Variable(
        "TRAINSHED_HANG_SECONDS",
        "hang_seconds",
        _seconds,
        "without progress so long, the processes are ended",
    ),
)
"""Every variable that the runtime reads. `docs/runs.md` and the compiler are tested against it."""
