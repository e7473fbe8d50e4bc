"""What a stage gives back: a value, findings, or both."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from trainshed.model.diagnostic import Findings, has_errors

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The result of a stage. `value` is None only where an error left nothing to go on with."""

    value: T | None
    findings: Findings = ()

    @property
    def has_errors(self) -> bool:
        """Whether the street has to stop after this stage."""
        return self.value is None or has_errors(self.findings)
