"""A rehearsal as a program reads it. The shape is described in docs/rehearse.md; new fields may come, none change."""

import json
from typing import Any

from trainshed.model.rehearsal import Event
from trainshed.model.verdict import Cost, Rehearsal, Verdict
from trainshed.report.rehearsal.phrases import write_headline

VERSION = 1


def format_json(rehearsal: Rehearsal) -> str:
    """One object, in printable ASCII. Times are seconds since the rehearsal began; steps are -1 where unknown."""
    document = {
        "version": VERSION,
        "headline": write_headline(rehearsal),
        "kind": rehearsal.kind,
        "namespace": rehearsal.namespace,
        "name": rehearsal.name,
        "cluster": rehearsal.cluster,
        "verdict": _verdict(rehearsal.verdict),
        "pods": [{"name": pod.name, "role": pod.role} for pod in rehearsal.pods],
        "notes": list(rehearsal.notes),
        "lastWords": list(rehearsal.last_words),
        "events": list(map(_event, rehearsal.events)),
    }
    return json.dumps(document, indent=2).replace("\x7f", "\\u007f") + "\n"


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "isWell": verdict.is_well,
        "succeeded": verdict.succeeded,
        "reason": verdict.reason,
        "message": verdict.text,
        "seconds": _round(verdict.seconds),
        "undisturbedSeconds": _round(verdict.undisturbed_seconds),
        "steps": verdict.steps,
        "stepsLost": verdict.steps_lost,
        "checkpoints": verdict.saves,
        "saveSeconds": _round(verdict.save_seconds),
        "interval": {"steps": verdict.interval.steps, "seconds": verdict.interval.seconds},
        "faults": [_cost(verdict, cost) for cost in verdict.costs],
        "faultsThatNeverCame": list(verdict.pending),
        "endState": verdict.end_state.value,
        "differences": list(verdict.differences),
    }


def _cost(verdict: Verdict, cost: Cost) -> dict[str, Any]:
    return {
        "fault": cost.fault,
        "pod": cost.pod,
        "at": _round(cost.at),
        "lastStep": cost.before,
        "resumedStep": cost.resumed,
        "stepsLost": cost.steps_lost,
        "secondsToResume": _round(cost.seconds),
        "checkpointAgeSeconds": _round(cost.age),
        "isBeyondInterval": verdict.is_beyond(cost),
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "at": _round(event.at),
        "happening": event.happening.value,
        "pod": event.pod,
        "container": event.container,
        "rank": event.rank,
        "step": event.step,
        "seconds": _round(event.seconds),
        "text": event.text,
        "detail": dict(event.detail),
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
