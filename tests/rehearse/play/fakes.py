"""A kubelet whose pods are scripts: what each does in each of its lives, without a process."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rehearse.controllers.stories import Making, workload

from trainshed.model.rehearsal import Event, Happening, PodEnd, PodToRun
from trainshed.rehearse.faults import Fault, Schedule
from trainshed.rehearse.play import Ending, Play
from trainshed.rehearse.slowness import SlowClaim

STEP_SECONDS = 0.02


@dataclass
class FakePods:
    """Pods that count to `steps`, begin a life where the last save was, and save every `every` steps.

    `breaks` leave with that exit code at once, `endless` ones never leave.
    """

    steps: int = 10
    every: int = 5
    breaks: dict[str, int] = field(default_factory=dict)
    endless: bool = False
    alive: dict[str, "asyncio.Future[tuple[int, bool]]"] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)
    held_back: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    graces: list[tuple[str, float | None]] = field(default_factory=list)
    saved: dict[str, int] = field(default_factory=dict)
    bytes_in: int = 0
    hear: Callable[[Event], None] = lambda _: None

    async def run(self, pod: PodToRun) -> PodEnd:
        name = pod.name
        self.alive[name] = asyncio.get_running_loop().create_future()
        self.hear(Event(0, Happening.STARTED, name))
        self.hear(Event(0, Happening.READY, name))
        training = asyncio.create_task(self._train(name))
        try:
            code, disrupted = await self.alive[name]
        finally:
            training.cancel()
            del self.alive[name]
        return PodEnd(pod, code == 0, {"main": code}, disrupted=disrupted)

    async def _train(self, name: str) -> None:
        if name in self.breaks:
            return self._end(name, self.breaks[name])
        first = self.saved.get(name, 0)
        self.hear(Event(0, Happening.RESUMED, name, step=first))
        for step in range(first + 1, self.steps + 1):
            while name in self.frozen:
                await asyncio.sleep(STEP_SECONDS)
            await asyncio.sleep(STEP_SECONDS)
            self.hear(Event(0, Happening.STEP, name, step=step))
            if step % self.every == 0:
                self.saved[name] = step
                self.bytes_in += 100
        while self.endless or name in self.frozen:
            await asyncio.sleep(STEP_SECONDS)
        return self._end(name, 0)

    def _end(self, name: str, code: int, disrupted: bool = False) -> None:
        if name in self.alive and not self.alive[name].done():
            self.alive[name].set_result((code, disrupted))

    def kill(self, pod: str) -> None:
        self._end(pod, 137)

    async def ask(self, pod: str, command: Sequence[str]) -> int:
        assert pod in self.alive
        return int(command[0])

    async def delete(self, pod: str, *, grace: float | None = None, disrupted: bool = False) -> None:
        self.graces.append((pod, grace))
        self._end(pod, 143, disrupted)

    def lose(self, pod: str) -> None:
        self._end(pod, 137, disrupted=True)

    def freeze(self, pod: str) -> None:
        self.frozen.add(pod)
        self.held_back.append(pod)

    def thaw(self, pod: str) -> None:
        self.frozen.discard(pod)

    async def fill(self, claim: str) -> None:
        self.filled.append(claim)

    def num_bytes(self, claim: str) -> int:
        return self.bytes_in


@dataclass
class Played:
    """What came of a play."""

    ending: Ending
    events: list[Event]

    def said(self, happening: Happening) -> list[str]:
        return [event.text for event in self.events if event.happening is happening]


def play(
    making: Making,
    pods: FakePods,
    faults: Iterable[Fault] = (),
    times: int | None = 1,
    limit: float = 20.0,
    slow: Iterable[SlowClaim] = (),
) -> Played:
    """Play it to the end, in a moment or two."""
    events: list[Event] = []

    async def conduct() -> Ending:
        loop = asyncio.get_running_loop()
        began = loop.time()
        schedule = Schedule(faults, times)
        conductor = Play(
            making.control(), schedule, tell=events.append, clock=lambda: loop.time() - began, slow=slow
        )
        pods.hear = conductor.hear
        return await conductor.run(pods, pods, limit)

    ending = asyncio.run(conduct())
    assert pods.alive == {}, "a pod was left behind"
    return Played(ending, events)


def job(pods: int = 1, **spec: object) -> Making:
    """A Job of pods `train-<n>` that mount the claim `models`."""
    template = {"spec": {"restartPolicy": "Never"}}
    sizes = {"completionMode": "Indexed", "completions": pods, "parallelism": pods}
    making = workload("batch/v1", "Job", {"template": template, **sizes, **spec}).add_pods("train", pods)
    for pod in making.pods:
        pod.body["spec"]["volumes"] = [{"name": "models", "persistentVolumeClaim": {"claimName": "models"}}]
    return making
