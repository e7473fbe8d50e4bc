"""Events as what is drawn of each pod: bars of life, its steps over time, and marks on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import Rehearsal

MOST_POINTS = 240
"""As many points as a line of steps has: more cannot be seen."""


class Mark(StrEnum):
    """What a sign on a line of life stands for; the value is its class in the page."""

    SAVED = "saved"
    RESUMED = "resumed"
    FAULT = "fault"
    TOLD = "told"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Sign:
    """A mark at a time, and what it says when a reader points at it. Faults have numbers."""

    mark: Mark
    at: float
    words: str
    number: int = 0


@dataclass(slots=True)
class Life:
    """From a process's start to its end, `how` it ended: `succeeded`, `failed`, `deleted`, or `restarted` in place."""

    start: float
    end: float
    how: str = ""


@dataclass(slots=True)
class Lifeline:
    """All that is drawn of one pod."""

    pod: str
    lives: list[Life] = field(default_factory=list[Life])
    steps: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    signs: list[Sign] = field(default_factory=list[Sign])


def trace_lifelines(rehearsal: Rehearsal) -> tuple[Lifeline, ...]:
    """A line for each pod, in their order; faults are numbered as the verdict lists them."""
    numbers = {id(event): number for number, event in enumerate(_faults(rehearsal.events), 1)}
    lines = {pod.name: Lifeline(pod.name) for pod in rehearsal.pods}
    for event in rehearsal.events:
        if event.pod in lines:
            _trace(lines[event.pod], event, numbers.get(id(event), 0))
    for line in lines.values():
        for life in line.lives:
            life.end = life.end if life.how else max(life.start, rehearsal.verdict.seconds)
        line.steps = _thin(line.steps)
        line.signs = _once(line.signs)
    return tuple(lines.values())


def _faults(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if event.happening is Happening.FAULT]


def _trace(line: Lifeline, event: Event, number: int) -> None:
    open_life = line.lives[-1] if line.lives and not line.lives[-1].how else None
    match event.happening:
        case Happening.STARTED if open_life is None:
            line.lives.append(Life(event.at, event.at))
        case Happening.RESTARTED if event.rank < 0:
            if open_life:
                open_life.end, open_life.how = event.at, "restarted"
            line.lives.append(Life(event.at, event.at))
        case Happening.ENDED if not event.container:
            how = event.detail.get("outcome", "failed")
            if open_life:
                open_life.end, open_life.how = event.at, how
            line.signs.append(Sign(Mark(how), event.at, event.text))
        case Happening.STEP if event.step > 0:
            line.steps.append((event.at, event.step))
        case Happening.SAVED:
            line.signs.append(Sign(Mark.SAVED, event.at, f"saved step {event.step}"))
        case Happening.RESUMED if event.step > 0:
            line.signs.append(Sign(Mark.RESUMED, event.at, f"resumed at step {event.step}"))
        case Happening.FAULT:
            line.signs.append(Sign(Mark.FAULT, event.at, event.text, number))
        case Happening.TOLD:
            line.signs.append(Sign(Mark.TOLD, event.at, event.text or "told to stop"))
        case _:
            pass


def _thin(steps: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Fewer points of the same line: every so manieth, each before and after a fall, and the last."""
    stride = max(1, len(steps) // MOST_POINTS)
    falls = {at for at in range(1, len(steps)) if steps[at][1] < steps[at - 1][1]}
    kept = {*range(0, len(steps), stride), *falls, *(at - 1 for at in falls), len(steps) - 1}
    return [steps[at] for at in sorted(kept) if at >= 0]


def _once(signs: Iterable[Sign]) -> list[Sign]:
    """Of what every rank of a pod says, the first: a save is one save."""
    seen: dict[tuple[Mark, str], float] = {}
    kept: list[Sign] = []
    for sign in signs:
        known = seen.get((sign.mark, sign.words))
        if sign.number or known is None or sign.at - known > 1.0:
            kept.append(sign)
            seen[sign.mark, sign.words] = sign.at
    return kept
