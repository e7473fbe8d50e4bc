"""Slow storage: whoever writes to a claim faster than it takes is stopped until it has caught up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainshed.model.rehearsal import PodToRun


@dataclass(slots=True)
class SlowClaim:
    """A claim that takes so many bytes a second, and whether its writers have to wait just now.

    What is deleted does not give time back: only what is added counts.
    """

    claim: str
    bytes_per_second: int
    owed: float = 0.0
    held: int = 0
    at: float | None = None
    waiting: set[str] = field(default_factory=set[str])

    def must_wait(self, now: float, num_bytes: int) -> bool:
        """Whether, with so much in the claim at `now`, more was written than it could have taken by now."""
        if self.at is not None:
            written = max(0, num_bytes - self.held)
            self.owed = max(0.0, self.owed - (now - self.at) * self.bytes_per_second) + written
        self.at, self.held = now, num_bytes
        return self.owed > 0


def claims_of(pod: PodToRun) -> Mapping[str, str]:
    """The claims that a pod mounts, with the name of the volume of each."""
    volumes = pod.body["spec"].get("volumes", ())
    return {
        volume["persistentVolumeClaim"]["claimName"]: volume["name"]
        for volume in volumes
        if "persistentVolumeClaim" in volume
    }
