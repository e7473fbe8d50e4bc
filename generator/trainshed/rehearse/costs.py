"""What each fault cost: steps done again, and seconds until training stepped again, from the events alone."""

from collections.abc import Iterable, Sequence

from trainshed.model.rehearsal import Event, Happening
from trainshed.model.verdict import Cost

_ANEW = frozenset({Happening.STARTED, Happening.RESTARTED, Happening.RESUMED})
"""What is told when processes begin again. Steps told between a fault and this are those of the old ones."""

_FOLLOWED = _ANEW | {Happening.STEP}
_ENDING = frozenset({"kill", "reclaim"})


def count_costs(events: Sequence[Event]) -> tuple[Cost, ...]:
    """A cost for each fault, in order. A fault that hits while the one before is being recovered from costs no steps.

    Steps are those of the fault's own pod, if it ever tells any; otherwise those of the whole job. Step 0 is told by
    processes that have just started, and says nothing.
    """
    faults = [event for event in events if event.happening is Happening.FAULT]
    return tuple(_count(fault, _followed(fault, events), events) for fault in faults)


def _followed(fault: Event, events: Iterable[Event]) -> list[Event]:
    told = [event for event in events if event.happening in _FOLLOWED and event.step != 0]
    own = [event for event in told if event.pod == fault.pod]
    return own if any(event.happening is Happening.STEP for event in own) else told


def _count(fault: Event, told: Sequence[Event], events: Sequence[Event]) -> Cost:
    earlier = [event for event in told if event.at <= fault.at]
    later = [event for event in told if event.at > fault.at]
    start = next((at for at, event in enumerate(later) if event.happening in _ANEW), None)
    old = [*earlier, *later[:start]] if start is not None else earlier
    new = later[start or 0 :]
    before = next((event.step for event in reversed(old) if event.happening is Happening.STEP), -1)
    word = next((event for event in new if event.happening in (Happening.RESUMED, Happening.STEP)), None)
    resumed = -1 if word is None else word.step - (word.happening is Happening.STEP)
    again = next((event for event in new if event.happening is Happening.STEP and event.step > resumed), None)
    return Cost(
        fault=fault.text,
        pod=fault.pod,
        at=fault.at,
        before=min(before, resumed) if _is_recovering(fault, earlier, events) else before,
        resumed=resumed,
        seconds=again.at - fault.at if again else None,
        age=_age_of(resumed, fault, events),
    )


def _is_recovering(fault: Event, earlier: Sequence[Event], events: Sequence[Event]) -> bool:
    """Whether training has not stepped anew since the last fault that ended a process."""
    ended = [
        event.at
        for event in events
        if event.happening is Happening.FAULT and event.at < fault.at and event.detail.get("deed") in _ENDING
    ]
    if not ended:
        return False
    since = [event for event in earlier if event.at > ended[-1]]
    start = next((at for at, event in enumerate(since) if event.happening in _ANEW), len(since))
    return not any(event.happening is Happening.STEP for event in since[start:])


def _age_of(step: int, fault: Event, events: Sequence[Event]) -> float | None:
    """How old the checkpoint of a step was when the fault came."""
    saves = [
        event.at
        for event in events
        if event.happening is Happening.SAVED and event.step == step and event.at <= fault.at
    ]
    return fault.at - max(saves) if saves else None
