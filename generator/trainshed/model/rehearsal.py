"""What a rehearsal is about: pods to be run as processes, what happens to them, and what came of it."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from trainshed.model.manifest import JsonObject


class PodToRun(Struct, frozen=True):
    """A pod as an operator's own code makes it, whole, in its `life`-th life: a replaced pod is another one.

    `name` is what faults call it, `<role>-<index>` in lower case; `body` is the Pod, defaulted by the API server's
    code. `owner` is the position of who made it among the objects that were made, -1 for the workload itself.
    """

    name: str
    role: str
    index: int
    body: JsonObject
    owner: int = -1
    life: int = 1


class PodEnd(Struct, frozen=True):
    """How a pod ended. `disrupted` is its condition DisruptionTarget; exit codes are by container, 128+n: a signal."""

    pod: PodToRun
    succeeded: bool
    exit_codes: Mapping[str, int]
    restarts: int = 0
    reason: str = ""
    disrupted: bool = False


class Happening(StrEnum):
    """What an event is."""

    CREATED = "created"
    STARTED = "started"
    READY = "ready"
    STEP = "step"
    SAVED = "saved"
    RESUMED = "resumed"
    FAULT = "fault"
    TOLD = "told to stop"
    ENDED = "ended"
    RESTARTED = "restarted"
    DELETED = "deleted"
    JOB = "job"
    NOTE = "note"


class Event(Struct, frozen=True):
    """Something that happened `at` seconds after the rehearsal began, to a pod ("" for the job as a whole).

    `seconds` is how long it took, where it took time; `rank` and `step` are the training's own, -1 where unknown.
    """

    at: float
    happening: Happening
    pod: str = ""
    container: str = ""
    rank: int = -1
    step: int = -1
    seconds: float = 0.0
    text: str = ""
    detail: Mapping[str, str] = field(default_factory=dict[str, str])
