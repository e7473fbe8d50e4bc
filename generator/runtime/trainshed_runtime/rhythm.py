"""How often to save."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Rhythm:
    """Whenever so many steps are full, and whenever so many seconds have passed since the last save; 0 is never."""

    every_steps: int
    every_seconds: float
    _step: int = 0
    _at: float = field(default_factory=lambda: time.monotonic())

    def is_due(self, step: int) -> bool:
        """Whether to save at this step."""
        by_steps = self.every_steps and step // self.every_steps > self._step // self.every_steps
        by_time = self.every_seconds and time.monotonic() - self._at >= self.every_seconds
        return bool(by_steps or by_time)

    def start_at(self, step: int) -> None:
        """Count from here: saved, or resumed, at this step."""
        self._step, self._at = step, time.monotonic()
