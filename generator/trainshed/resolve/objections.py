"""Why a kind cannot carry a job."""

from dataclasses import dataclass
from enum import IntEnum

from trainshed.model.codes import Code


class Weight(IntEnum):
    """How far a kind is from carrying a job: all but a wish, it is not there, it cannot shrink, it is the wrong one."""

    WISH = 1
    MISSING = 2
    RANGE = 3
    SHAPE = 4


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason, at the field that asks for too much."""

    weight: Weight
    code: Code
    field: tuple[str, ...]
    summary: str
    advice: str
