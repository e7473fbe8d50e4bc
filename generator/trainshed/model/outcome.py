"""What a stage gives back: a value, findings, or both."""

from typing import Generic, TypeVar

from msgspec import Struct

from trainshed.model.diagnostic import Findings, has_errors

T = TypeVar("T")


class Outcome(Struct, Generic[T], frozen=True):
    """The result of a stage. `value` is None only where an error left nothing to go on with."""

    value: T | None
    findings: Findings = ()

    @property
    def has_errors(self) -> bool:
        """Whether the street has to stop after this stage."""
        return self.value is None or has_errors(self.findings)
