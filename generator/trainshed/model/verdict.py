"""What came of a rehearsal: how it ended, what each fault cost, and whether the end state is that of a run without."""

from enum import StrEnum

from msgspec import Struct

from trainshed.model.rehearsal import Event


class Cost(Struct, frozen=True):
    """What one fault cost. `before` is the last step before it, `resumed` the one that was gone on from, -1 for none.

    `seconds` is how long it took until training stepped again, None if it never did. `age` is how old the checkpoint
    was that it resumed from, in seconds, None where that is not known.
    """

    fault: str
    pod: str
    at: float
    before: int
    resumed: int
    seconds: float | None
    age: float | None = None

    @property
    def steps_lost(self) -> int:
        """Steps that had to be done again."""
        return max(0, self.before - max(self.resumed, 0)) if self.seconds is not None else 0


class Interval(Struct, frozen=True):
    """How often the manifest asks for a checkpoint: steps, seconds, or both, 0 for neither."""

    steps: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        words = [f"{self.steps} steps"] if self.steps else []
        return " or ".join([*words, *([f"{self.seconds:g} s"] if self.seconds else [])])


class EndState(StrEnum):
    """What was left behind, beside what an undisturbed rehearsal leaves."""

    SAME = "same"
    DIFFERENT = "different"
    NOTHING = "nothing to compare"
    NOT_COMPARED = "not compared"


class Verdict(Struct, frozen=True):
    """The judgement. `reason` and `text` are the controller's last words; `pending` the faults that never came."""

    succeeded: bool
    reason: str
    text: str
    seconds: float
    steps: int = 0
    saves: int = 0
    costs: tuple[Cost, ...] = ()
    pending: tuple[str, ...] = ()
    interval: Interval = Interval()
    save_seconds: float = 0.0
    end_state: EndState = EndState.NOT_COMPARED
    differences: tuple[str, ...] = ()
    undisturbed_seconds: float | None = None

    def is_beyond(self, cost: Cost) -> bool:
        """Whether a fault cost more than an interval: more steps, and a checkpoint older than that and one save."""
        steps, seconds = self.interval.steps, self.interval.seconds
        within_steps = bool(steps) and cost.steps_lost <= steps
        within_seconds = bool(seconds) and (cost.age is None or cost.age <= seconds + self.save_seconds)
        return (bool(steps) or bool(seconds)) and cost.steps_lost > 0 and not (within_steps or within_seconds)

    @property
    def is_well(self) -> bool:
        """Whether it ended well, lost no more than its interval, and left what an undisturbed run leaves."""
        is_within = not any(self.is_beyond(cost) for cost in self.costs)
        return self.succeeded and is_within and self.end_state is not EndState.DIFFERENT

    @property
    def steps_lost(self) -> int:
        """Steps that were done again, over all faults."""
        return sum(cost.steps_lost for cost in self.costs)


class PodLine(Struct, frozen=True):
    """A pod as a reader of the record knows it."""

    name: str
    role: str


class Rehearsal(Struct, frozen=True):
    """The whole record: what was rehearsed, what differs from the cluster, what happened, and the verdict.

    `last_words` are what the container printed last whose failure the end was, and which one it is.
    """

    kind: str
    namespace: str
    name: str
    cluster: str
    pods: tuple[PodLine, ...]
    notes: tuple[str, ...]
    events: tuple[Event, ...]
    verdict: Verdict
    last_words: tuple[str, ...] = ()
