"""The pods that a controller has on the stage."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Delete, Run


@dataclass(slots=True)
class Roster:
    """Which pods are alive, which of them were told to go, and in which life each name is."""

    alive: dict[str, PodToRun] = field(default_factory=dict[str, PodToRun])
    going: set[str] = field(default_factory=set[str])
    ready: set[str] = field(default_factory=set[str])
    restarts: dict[str, int] = field(default_factory=dict[str, int])
    lives: dict[str, int] = field(default_factory=dict[str, int])

    def run(self, pod: PodToRun, after: float = 0.0) -> Run:
        """Start a pod, in its next life."""
        life = self.lives.get(pod.name, 0) + 1
        self.lives[pod.name] = life
        self.alive[pod.name] = replace(pod, life=life)
        return Run(self.alive[pod.name], after)

    def run_all(self, pods: Iterable[PodToRun]) -> list[Run]:
        """Start pods together."""
        return [self.run(pod) for pod in pods]

    def delete(self, names: Iterable[str]) -> list[Delete]:
        """Delete those of the pods that are alive and were not told yet."""
        told = [name for name in names if name in self.alive and name not in self.going]
        self.going.update(told)
        return [Delete(name) for name in told]

    def delete_all(self) -> list[Delete]:
        """Delete every pod that is alive."""
        return self.delete(list(self.alive))

    def mark_ready(self, name: str) -> None:
        """A pod is ready."""
        if name in self.alive:
            self.ready.add(name)

    def mark_restarted(self, name: str, restarts: int) -> None:
        """A pod's containers were restarted so many times, in this life."""
        if name in self.alive:
            self.restarts[name] = restarts

    def end(self, end: PodEnd) -> bool:
        """Strike a pod off; whether it had been told to go."""
        name = end.pod.name
        self.alive.pop(name, None)
        self.ready.discard(name)
        self.restarts.pop(name, None)
        was_told = name in self.going
        self.going.discard(name)
        return was_told

    @property
    def num_restarts(self) -> int:
        """Restarts of containers, summed over the pods that are alive."""
        return sum(self.restarts.values())
