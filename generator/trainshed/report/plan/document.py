"""A plan as a program reads it. The shape is described in docs/plan.md; new fields may come, none change."""

import json
from fractions import Fraction
from typing import Any

from trainshed.model.amounts import unit_of
from trainshed.model.asks import Amount, Ask, Hours, Level, Prospect, RunTurn
from trainshed.report.plan.phrases import ASSUMPTION, write_headline

VERSION = 1


def format_json(prospect: Prospect) -> str:
    """One object, in printable ASCII. Memory is in bytes, CPUs may be fractions."""
    document = {
        "version": VERSION,
        "base": prospect.base,
        "headline": write_headline(prospect),
        "assumption": ASSUMPTION,
        "runs": list(map(_run, prospect.turns)),
        "levels": list(map(_level, prospect.levels)),
        "budgets": [
            {"cluster": cluster, "team": team, "gpuHoursPerRun": hours}
            for (cluster, team), hours in sorted(prospect.budgets.items())
        ],
    }
    return json.dumps(document, indent=2).replace("\x7f", "\\u007f") + "\n"


def _run(turn: RunTurn) -> dict[str, Any]:
    ask = turn.ask
    return {
        "turn": turn.turn.value,
        "cluster": ask.cluster,
        "team": ask.team,
        "job": ask.job,
        "apiVersion": ask.identity.api_version,
        "kind": ask.identity.kind,
        "namespace": ask.identity.namespace,
        "name": ask.identity.name,
        "previousName": turn.before.identity.name if turn.before and turn.after else "",
        "path": str(ask.path),
        "ledger": ask.ledger,
        "queue": ask.queue,
        "before": _shares(turn.before),
        "after": _shares(turn.after),
        "deadlineSeconds": ask.seconds,
        "gpuHours": None if turn.hours.endless else _number(turn.hours.until_deadlines),
        "gpuHoursAllowed": turn.budget,
        "isOverBudget": turn.is_over_budget,
        "outlook": turn.outlook.prognosis.value,
        "sentence": turn.outlook.sentence,
        "reason": ask.reason,
    }


def _shares(ask: Ask | None) -> list[dict[str, Any]]:
    return [
        {
            "flavor": share.place.flavor,
            "resource": share.place.resource,
            "asked": _number(share.asked),
            "least": _number(share.least),
            "most": _number(share.most),
        }
        for share in (ask.shares if ask else ())
    ]


def _level(level: Level) -> dict[str, Any]:
    place = level.place
    return {
        "cluster": place.cluster,
        "team": level.team,
        "ledger": level.ledger,
        "queue": place.queue,
        "cohort": level.cohort,
        "flavor": place.flavor,
        "accelerator": level.accelerator,
        "resource": place.resource,
        "unit": "bytes" if place.resource == "memory" else unit_of(place.resource),
        "isChanged": level.is_changed,
        "isOver": level.is_over,
        "before": _side(level, 0),
        "after": _side(level, 1),
    }


def _side(level: Level, side: int) -> dict[str, Any]:
    asked: Amount = (level.before, level.after)[side]
    hours: Hours | None = level.hours[side] if level.hours else None
    return {
        "least": _number(asked.least),
        "most": _number(asked.most),
        "nominal": _limit(level.nominal[side]),
        "ceiling": _limit(level.ceiling[side]),
        "gpuHours": None if hours is None else _number(hours.until_deadlines),
        "runsWithoutEnd": None if hours is None else hours.endless,
    }


def _limit(value: Fraction | None) -> int | float | None:
    return None if value is None else _number(value)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), 3)
