"""What happens to a run, a sentence each, in the order in which a reviewer asks."""

from collections.abc import Iterator
from dataclasses import dataclass

from trainshed.model.manifest import JsonObject
from trainshed.model.review import RunVerb
from trainshed.model.seal import Ending
from trainshed.model.storage import Checkpoint
from trainshed.review.workloads import recreates

_MOST_REASONS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Everything that sentences about a run are made of. `again` says how a run of this very name ended before."""

    verb: RunVerb
    kind: str
    run: str
    starts: str
    ends: str
    keeps: tuple[str, ...]
    resumes: str
    attempt: int
    lasts: bool
    grace_seconds: int
    checkpoint: Checkpoint | None
    outcome: Ending | None
    again: str
    body: JsonObject
    trained: tuple[str, ...]


def write_sentences(turn: Turn) -> tuple[str, ...]:
    """Without full stops and without capitals: formats string them together."""
    return tuple(_WRITERS[turn.verb](turn))


def _starts(turn: Turn) -> Iterator[str]:
    attempt = f", attempt {turn.attempt}" if turn.attempt > 1 else ""
    again = f" again under its old name, which was {turn.again}" if turn.again else ""
    yield f"starts {turn.starts} ({turn.kind}{attempt}){again}"
    if turn.ends:
        yield _ending(turn)
    yield from (f"keeps {name} in Git beside it (whenEdited: keep)" for name in turn.keeps)
    if not turn.lasts:
        yield _beginning(turn)
    if turn.again in ("succeeded", "failed"):
        yield "it has ended before: what it finds of its own checkpoints decides what it does"


def _beginning(turn: Turn) -> str:
    """Where the new run takes up."""
    saving = turn.checkpoint
    if saving is None:
        return (
            "keeps no checkpoints: what was trained so far is lost" if turn.ends else "keeps no checkpoints"
        )
    if saving.resume == "never":
        return "starts anew (checkpoint.resume: never)"
    if turn.resumes:
        return f"resumes at the last checkpoint of {turn.resumes}, whose lineage it shares"
    if saving.resume == "from":
        return f"starts from the last checkpoint of {saving.resume_from}, and saves to a lineage of its own"
    if not (turn.ends or turn.keeps):
        return "starts anew: nothing was trained under this lineage before"
    reasons = ", ".join(dict.fromkeys(turn.trained[:_MOST_REASONS]))
    return f"starts anew, for what is trained changes{': ' + reasons if reasons else ''}"


def _ending(turn: Turn) -> str:
    if turn.kind == "CronJob":
        return f"ends {turn.ends}: Argo CD deletes it with the Jobs that it started"
    grace = f", and its pods get {turn.grace_seconds} s" if turn.grace_seconds else ""
    return f"ends {turn.ends}: Argo CD deletes it{grace}"


def _ends(turn: Turn) -> Iterator[str]:
    yield _ending(turn)
    yield "no run of the job follows it there"


def _stops(turn: Turn) -> Iterator[str]:
    yield f"{_ending(turn)} (state: stopped)"
    yield "its seal stays: with state: running it starts again under the same name"


def _archived(turn: Turn) -> Iterator[str]:
    state = turn.outcome.state if turn.outcome else "ended"
    yield f"records that {turn.run} {state}"
    if turn.ends:
        yield "its objects leave Git; nothing that still runs is ended"


def _resealed(turn: Turn) -> Iterator[str]:
    yield f"renders {turn.run} anew under its name (trainshed reseal)"
    yield "the API server takes the change only in fields that may change"


def _changes(turn: Turn) -> Iterator[str]:
    yield f"changes {turn.run} ({turn.kind}) in place"
    if turn.kind == "CronJob":
        yield "Jobs that it has started go on as they are; the next one takes the change"
    elif recreates(turn.body):
        yield "KubeRay deletes its pods and makes them anew: what runs on it ends (upgradeStrategy: Recreate)"


_WRITERS = {
    RunVerb.STARTS: _starts,
    RunVerb.RESTARTS: _starts,
    RunVerb.ENDS: _ends,
    RunVerb.STOPS: _stops,
    RunVerb.ARCHIVED: _archived,
    RunVerb.RESEALED: _resealed,
    RunVerb.CHANGES: _changes,
}
