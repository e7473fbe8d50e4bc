"""How each kind of run says in its status that it has ended: a row a kind.

Facts of the operators' own source. `Job`: k8s.io/api v0.36.3 `batch/v1`. Training Operator v1.9.4
`pkg/apis/kubeflow.org/v1/common_types.go`. JobSet v0.12.0 `jobset_types.go`. MPI Operator v0.8.2
`pkg/controller/mpi_job_controller.go`: an MPIJob whose workers were evicted is Failed and goes on; it is over once it
has a `completionTime`. Trainer v2.3.0 `trainjob_controller.go`: a TrainJob is Failed for as long as it lacks a runtime.
KubeRay v1.6.2 `rayjob_types.go` (IsJobDeploymentTerminal): Complete says that Ray's job ended, not how. Volcano v1.15.1
`pkg/controllers/garbagecollector`: an Aborted job may be resumed.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from trainshed.model.backend import CARRIERS, Backend
from trainshed.model.codes import Code
from trainshed.model.diagnostic import Diagnostic, error
from trainshed.model.manifest import Origins
from trainshed.model.seal import Ending, Seal

WHY_LIMIT = 300
"""Characters of a controller's words that a seal keeps."""

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_ADVICE = (
    "the controller of this kind writes no such status: take what `kubectl get -o json` prints, as it is"
)


class Sign(Struct, frozen=True, kw_only=True):
    """Where a kind's status says how it ended.

    `record` is the field of the status that holds the words: a list of conditions, or a map; the status itself where
    it is empty. Of a record `word` is the field that says what happened, `time` since when; a condition counts while
    its `status` is True. `completed` is a field of the status that says when, and without which nothing is final.
    `confirmed` has to stand in the status as well, or the run ended and did not succeed. Words for one of the reasons
    in `passing` may still be taken back.
    """

    group: str
    succeeded: str
    failed: frozenset[str] = frozenset({"Failed"})
    record: str = "conditions"
    word: str = "type"
    time: str = "lastTransitionTime"
    completed: str = ""
    confirmed: tuple[str, str] | None = None
    passing: frozenset[str] = frozenset()


_KUBEFLOW = Sign(group="kubeflow.org", succeeded="Succeeded")
_MPI = Sign(group="kubeflow.org", succeeded="Succeeded", completed="completionTime")

SIGNS: Mapping[Backend, Sign] = {
    Backend.JOB: Sign(group="batch", succeeded="Complete"),
    Backend.PYTORCHJOB: _KUBEFLOW,
    Backend.TFJOB: _KUBEFLOW,
    Backend.XGBOOSTJOB: _KUBEFLOW,
    Backend.PADDLEJOB: _KUBEFLOW,
    Backend.JAXJOB: _KUBEFLOW,
    Backend.MPIJOB: _MPI,
    Backend.MPIJOB_V1: _MPI,
    Backend.TRAINJOB: Sign(
        group="trainer.kubeflow.org",
        succeeded="Complete",
        passing=frozenset({"TrainingRuntimeNotSupported"}),
    ),
    Backend.JOBSET: Sign(group="jobset.x-k8s.io", succeeded="Completed"),
    Backend.RAYJOB: Sign(
        group="ray.io",
        succeeded="Complete",
        record="",
        word="jobDeploymentStatus",
        time="endTime",
        confirmed=("jobStatus", "SUCCEEDED"),
    ),
    Backend.VOLCANOJOB: Sign(
        group="batch.volcano.sh",
        succeeded="Completed",
        failed=frozenset({"Failed", "Terminated"}),
        record="state",
        word="phase",
    ),
}
"""Every kind whose runs end. Schedules and Ray clusters live on."""


def backend_of(seal: Seal) -> Backend | None:
    """The kind that carries a sealed run; where two spell it alike, the operator that it was rendered for tells."""
    alike = [kind for kind in SIGNS if CARRIERS[kind].kind == seal.kind]
    named = (kind for kind in alike if CARRIERS[kind].operator in seal.releases)
    return next(named, next(iter(alike), None))


def resource(kind: Backend) -> str:
    """The kind as kubectl wants it, with its group: `pytorchjobs.kubeflow.org`."""
    return f"{CARRIERS[kind].kind.lower()}s.{SIGNS[kind].group}"


def read_ending(sign: Sign, status: Any, origins: Origins) -> Ending | Diagnostic | None:
    """How a run ended; None while it has not; a finding where its status is of another shape than its kind's."""
    try:
        return _read(sign, status)
    except _UnlikeError as unlike:
        field = f"status.{unlike.field}".rstrip(".")
        place = origins.find(f"/{field.replace('.', '/')}")
        return error(Code.WRONG_TYPE, place, f"{field} is not {unlike.wanted}", _ADVICE)


class _UnlikeError(ValueError):
    """A field of the status that is not what its kind's would be."""

    def __init__(self, field: str, wanted: str) -> None:
        super().__init__(field)
        self.field = field
        self.wanted = wanted


def _read(sign: Sign, status: Any) -> Ending | None:
    whole = _map(status, "")
    final = {sign.succeeded, *sign.failed}
    ends = [
        record
        for record in _records(sign, whole)
        if _text(record, sign.word) in final and _text(record, "reason") not in sign.passing
    ]
    if not ends:
        return None
    end = next((record for record in ends if record[sign.word] in sign.failed), ends[0])
    finished = _text(whole, sign.completed) if sign.completed else _text(end, sign.time)
    if not finished:
        return None
    if not _is_time(finished):
        raise _UnlikeError(sign.completed or f"{sign.record}.{sign.time}".strip("."), "a time (RFC 3339)")
    confirmed = sign.confirmed is None or _text(whole, sign.confirmed[0]) == sign.confirmed[1]
    succeeded = end[sign.word] == sign.succeeded and confirmed
    why = one_line(": ".join(filter(None, (_text(end, "reason"), _text(end, "message")))))
    return Ending("succeeded" if succeeded else "failed", finished, why or str(end[sign.word]))


def _records(sign: Sign, status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What says how it stands: the status itself, a map in it, or those of its conditions that are True."""
    if not sign.record:
        yield status
        return
    written = status.get(sign.record)
    if sign.word != "type":
        yield _map(written, sign.record)
        return
    if not isinstance(written, list | None):
        raise _UnlikeError(sign.record, "a list")
    conditions = [_map(condition, sign.record) for condition in written or ()]
    yield from (condition for condition in conditions if _text(condition, "status") == "True")


def _map(value: Any, field: str) -> Mapping[str, Any]:
    """The map at a field; an empty one where nothing stands there."""
    if value is not None and not isinstance(value, dict):
        raise _UnlikeError(field, "a map")
    return value or {}


def _text(record: Mapping[str, Any], field: str) -> str:
    """The text in a field; "" where there is none."""
    value = record.get(field)
    if value is not None and not isinstance(value, str):
        raise _UnlikeError(field, "text")
    return value or ""


def _is_time(text: str) -> bool:
    if not _RFC_3339.fullmatch(text):
        return False
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def one_line(text: str, limit: int = WHY_LIMIT) -> str:
    """Somebody's words as they fit into a record: one line, visible characters, not too many."""
    seen = "".join(character if character.isprintable() else " " for character in text)
    line = " ".join(seen.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
