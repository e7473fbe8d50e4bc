"""What an organisation asks for beyond what works: how much each rule matters, and which job is excused from it."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from msgspec import Struct

from trainshed.model.codes import Code
from trainshed.model.diagnostic import Severity
from trainshed.model.source import Source

DEFAULTS: Mapping[str, Severity | None] = MappingProxyType(
    {
        Code.CHECKPOINT_MISSING: None,
        Code.DEADLINE_MISSING: None,
        Code.OWNER_MISSING: None,
        Code.OVER_BUDGET: None,
        Code.IMAGE_DIGEST: None,
        Code.IMAGE_TAG: Severity.ERROR,
        Code.GPU_REQUEST: Severity.WARNING,
        Code.PRIVILEGED: Severity.WARNING,
        Code.HOST_PATH: Severity.WARNING,
        Code.HOST_NETWORK: Severity.WARNING,
        Code.RUNS_AS_ROOT: Severity.WARNING,
    }
)
"""The policies, and how much each matters where neither team nor cluster says so; None: not at all."""

HOURS: Mapping[str, str] = MappingProxyType(
    {Code.CHECKPOINT_MISSING: "aboveGpuHours", Code.OVER_BUDGET: "gpuHours"}
)
"""The policies that count GPU hours, and the field that says how many."""

LONG_RUN = 8
"""GPU hours that a run may lose where nobody says how many."""


class PolicySetting(Struct, frozen=True):
    """What a team or a cluster says about a rule: a severity, or "off", or ""; GPU hours, or None."""

    severity: str
    gpu_hours: int | None
    source: Source


class Waiver(Struct, frozen=True):
    """A job's excuse from a rule, by the rule's name, and why."""

    rule: str
    because: str
    source: Source


class HouseRule(Struct, frozen=True):
    """A rule of the repository's own: CEL over objects of some kinds. `kinds` has "Pod" for every pod that is made."""

    name: str
    severity: Severity
    kinds: frozenset[str]
    expression: str
    message: str
    message_expression: str
    source: Source
    places: Mapping[str, Source]


def severity_of(
    rule: str, default: Severity | None, layers: Iterable[Mapping[str, PolicySetting]]
) -> Severity | None:
    """The severity that the first of the layers has for a rule, the most particular first; None where it is off."""
    said = (layer[rule].severity for layer in layers if rule in layer)
    word = next(filter(None, said), None)
    return default if word is None else None if word == "off" else Severity(word)


def gpu_hours_of(rule: str, layers: Iterable[Mapping[str, PolicySetting]]) -> int | None:
    """The GPU hours that the first of the layers has for a rule."""
    said = (layer[rule].gpu_hours for layer in layers if rule in layer)
    return next((hours for hours in said if hours is not None), None)
