"""What is done to pods and claims on purpose: `worker-1@step=20` and its like, read, and due when their time comes."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from trainshed.model.suggest import did_you_mean


class Deed(StrEnum):
    """What is done."""

    KILL = "kill"
    RECLAIM = "reclaim"
    HANG = "hang"
    FILL = "fill"
    SLOW = "slow"


OF_CLAIMS = frozenset({Deed.FILL, Deed.SLOW})
"""Deeds whose target is a claim; those of the others are pods."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A deed at a target, at a step or so many seconds after the first pod started; with neither, from the beginning.

    `notice` is how long a reclaimed node goes on after its pods were told, None for the pod's own grace period; it is
    `away` for so many seconds, in which the pod in its place has none. `bytes_per_second` is what a slow claim takes.
    """

    deed: Deed
    target: str
    step: int | None = None
    seconds: float | None = None
    notice: float | None = None
    away: float = 0.0
    bytes_per_second: int = 0

    def __str__(self) -> str:
        at = f" at step {self.step}" if self.step is not None else ""
        at = f" after {self.seconds:g} s" if self.seconds is not None else at
        notice = f", {self.notice:g} s of notice" if self.notice is not None else ""
        away = f", away for {self.away:g} s" if self.away else ""
        return f"{self.deed} {self.target}{at}{notice}{away}"


class FaultError(ValueError):
    """A fault that cannot be read, or whose target is not there; the message says what would be right."""


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SIZES = {
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_RATE = re.compile(r"(\d+(?:\.\d+)?)(B|kB|KB|MB|GB|KiB|MiB|GiB)/s")
_STEP = re.compile(r"step=(\d+)")


def parse_duration(text: str) -> float:
    """`30s`, `2m`, `500ms`: seconds. Raises FaultError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise FaultError(f'"{text}" is no duration; write 30s, 2m or 500ms')
    return float(found[1]) * _UNITS[found[2]]


def parse_fault(deed: Deed, text: str) -> Fault:
    """What stands behind `--kill` and its like. Raises FaultError."""
    if deed is Deed.SLOW:
        return _parse_slow(text)
    target, at, rest = text.partition("@")
    when, *extras = rest.split(",")
    if not (target and at and when):
        raise FaultError(f'"{text}" does not say {"what" if not target else "when"}; write {EXAMPLES[deed]}')
    fault = _set_time(Fault(deed, target), when, deed)
    for extra in extras:
        name, _, value = extra.partition("=")
        if deed is not Deed.RECLAIM or name not in ("notice", "away"):
            raise FaultError(f'"{extra}" is nothing that --{deed} knows; write {EXAMPLES[deed]}')
        seconds = parse_duration(value)
        fault = replace(fault, notice=seconds) if name == "notice" else replace(fault, away=seconds)
    return fault


EXAMPLES: Mapping[Deed, str] = {
    Deed.KILL: "worker-1@step=20 or worker-1@30s",
    Deed.RECLAIM: "worker-0@step=10,notice=15s,away=5m",
    Deed.HANG: "worker-1@step=5",
    Deed.FILL: "checkpoints@step=30",
    Deed.SLOW: "checkpoints=2MB/s",
}
"""One right way for each, for messages and for `--help`."""


def _set_time(fault: Fault, when: str, deed: Deed) -> Fault:
    step = _STEP.fullmatch(when)
    if step:
        return replace(fault, step=int(step[1]))
    if when.startswith("step"):
        raise FaultError(f'"{when}" is no step; write {EXAMPLES[deed]}')
    return replace(fault, seconds=parse_duration(when))


def _parse_slow(text: str) -> Fault:
    claim, _, rate = text.partition("=")
    found = _RATE.fullmatch(rate)
    if not claim or found is None or float(found[1]) <= 0:
        raise FaultError(f'"{text}" does not say how slow; write {EXAMPLES[Deed.SLOW]}')
    return Fault(Deed.SLOW, claim, bytes_per_second=max(1, int(float(found[1]) * _SIZES[found[2]])))


def check_targets(faults: Iterable[Fault], pods: Sequence[str], claims: Sequence[str]) -> None:
    """Raises FaultError for the first fault whose pod or claim is not there, with the nearest that is."""
    for fault in faults:
        what, known = ("claim", claims) if fault.deed in OF_CLAIMS else ("pod", pods)
        check_name(f"--{fault.deed}", what, fault.target, known)


def check_name(option: str, what: str, name: str, known: Sequence[str]) -> None:
    """Raises FaultError for a name that is not known, with the nearest that is."""
    if name not in known:
        advice = did_you_mean(name, known) or f"there is no {what} at all"
        raise FaultError(f'{option}: no {what} "{name}"; {advice}')


@dataclass(frozen=True, slots=True)
class _Due:
    """A fault that is still to come; `times` in all, without end for None, each as much later as the first was."""

    fault: Fault
    every: Fault
    times: int | None

    def again(self) -> "_Due | None":
        """The same fault, the next time."""
        if self.times == 1:
            return None
        fault = self.fault
        if fault.seconds is not None:
            later = replace(fault, seconds=fault.seconds + (self.every.seconds or 0))
        else:
            later = replace(fault, step=(fault.step or 0) + max(1, self.every.step or 0))
        return replace(self, fault=later, times=None if self.times is None else self.times - 1)


class Schedule:
    """Which faults are due, as steps and seconds go by. The same steps give the same faults.

    A fault with a step is due once its own pod, or for a pod that tells no steps any pod, has come so far. Pods that
    are `alone` go by their own steps only.
    """

    def __init__(
        self, faults: Iterable[Fault] = (), times: int | None = 1, alone: Container[str] = ()
    ) -> None:
        self._alone = alone
        self._due = [_Due(fault, fault, times) for fault in faults if fault.deed is not Deed.SLOW]
        self._steps: dict[str, int] = {}

    @property
    def pending(self) -> tuple[Fault, ...]:
        """Those that are still to come, without those that come for ever."""
        return tuple(due.fault for due in self._due if due.times is not None)

    def stepped(self, pod: str, step: int) -> None:
        """A pod has told a step. Steps that are done again after a resume do not count twice."""
        self._steps[pod] = max(step, self._steps.get(pod, 0))

    def take_due(self, seconds: float, can_happen: Callable[[Fault], bool]) -> list[Fault]:
        """The faults whose time has come and that can happen now. Each is struck off, or set to its next time."""
        happening = [due for due in self._due if self._has_come(due.fault, seconds) and can_happen(due.fault)]
        later = [due if due not in happening else due.again() for due in self._due]
        self._due = [due for due in later if due is not None]
        return [due.fault for due in happening]

    def _has_come(self, fault: Fault, seconds: float) -> bool:
        if fault.seconds is not None:
            return seconds >= fault.seconds
        own = self._steps.get(fault.target, -1 if fault.target in self._alone else None)
        reached = own if own is not None else max(self._steps.values(), default=-1)
        return reached >= (fault.step or 0)


def draw_faults(count: int, seed: int, pods: Sequence[str], steps: int, seconds: float) -> tuple[Fault, ...]:
    """Kills and reclaims of any pod at any step up to `steps`; where none are told, within `seconds`.

    The same numbers give the same faults.
    """
    chance = Random(seed)  # noqa: S311 - nothing secret hangs on it
    drawn: list[Fault] = []
    for _ in range(count):
        fault = Fault(chance.choice((Deed.KILL, Deed.RECLAIM)), chance.choice(pods))
        if steps > 0:
            drawn.append(replace(fault, step=chance.randint(1, steps)))
        else:
            drawn.append(replace(fault, seconds=round(chance.uniform(0, seconds), 1)))
    return tuple(sorted(drawn, key=lambda fault: (fault.step or 0, fault.seconds or 0.0)))
