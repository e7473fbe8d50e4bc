"""The life of a pod: init containers one after the other, sidecars around them, containers, and its end.

Source: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/ and init-containers/, sidecar-containers/.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import Happening, PodEnd
from trainshed.rehearse.kubelet.container import NEVER_STARTED, Container, Premises, RunError
from trainshed.rehearse.kubelet.plan import write_names
from trainshed.rehearse.kubelet.setting import ConfigError, PodFacts, Setting
from trainshed.rehearse.kubelet.telling import Teller
from trainshed.rehearse.kubelet.volumes import Volumes
from trainshed.rehearse.rooms.room import Room, RoomError, Rooms, RoomToOpen

CANNOT_START = ("CreateContainerConfigError", "RunContainerError")
"""Reasons of pods that would end the same way however often they were tried."""
DELETED, DEADLINE_EXCEEDED, NODE_LOST = "Deleted", "DeadlineExceeded", "NodeLost"
DEFAULT_GRACE_SECONDS = 30.0
CONTAINER_NAME = re.compile(r"[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a pod is ended before its time, and when what is left of it is killed."""

    reason: str
    deadline: float
    disrupted: bool = False


class Pod:
    """One life of a pod. `run` is it; all else happens to it meanwhile."""

    def __init__(
        self,
        facts: PodFacts,
        setting: Setting,
        rooms: Rooms,
        teller: Teller,
        names: Callable[[], frozenset[str]],
        arrive: Callable[[], None],
    ) -> None:
        self.facts = facts
        self.over = asyncio.Event()
        self._setting = setting
        self._rooms = rooms
        self._teller = teller
        self._names = names
        self._arrive = arrive
        self._stopping = asyncio.Event()
        self._stop: Stop | None = None
        self._inits: list[Container] = []
        self._sidecars: list[Container] = []
        self._containers: list[Container] = []
        self._running: list[asyncio.Task[int]] = []

    async def run(self) -> PodEnd:
        """Live, and tell how it ended. Never raises for what a manifest asks."""
        self._teller.tell(Happening.CREATED, text=self.facts.name)
        try:
            end = await self._live_until_deadline()
        except ConfigError as error:
            end = self._fail(CANNOT_START[0], str(error))
        except RunError as error:
            end = self._fail(CANNOT_START[1], str(error), {error.container: error.exit_code})
        except RoomError as error:
            end = self._fail("RoomError", error.words)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            # The API server's code has seen the pod; what it has not seen is not worth a check for each field.
            end = self._fail(CANNOT_START[0], f"the pod is none: {type(error).__name__}: {error}")
        finally:
            self.over.set()
        words = end.reason or ("succeeded" if end.succeeded else "failed")
        self._teller.tell(Happening.ENDED, text=words)
        return end

    async def stop(self, stop: Stop) -> None:
        """Tell its containers to stop, sidecars last; returns when it is over."""
        if self._stop is None or stop.deadline < self._stop.deadline:
            self._stop = stop
        self._stopping.set()
        await asyncio.gather(*(one.stop(stop.deadline) for one in (*self._inits, *self._containers)))
        await self.over.wait()

    async def lose(self) -> None:
        """Its node is gone: everything ends at once, and nothing of it is told."""
        self._stop = Stop(NODE_LOST, monotonic(), disrupted=True)
        self._stopping.set()
        now = monotonic()
        everyone = (*self._inits, *self._containers, *self._sidecars)
        await asyncio.gather(*(one.stop(now) for one in everyone))

    async def kill(self) -> None:
        """SIGKILL to all processes of its containers; the node stays, and goes by their restart policy."""
        await self._on_all(Container.kill, (*self._inits, *self._containers))

    async def ask(self, command: Sequence[str]) -> int:
        """Run a command beside its first container; with what code it left."""
        return await self._containers[0].ask(command) if self._containers else NEVER_STARTED

    async def freeze(self) -> None:
        """Its containers hang."""
        await self._on_all(Container.freeze, self._containers)

    async def thaw(self) -> None:
        """Its containers go on."""
        await self._on_all(Container.thaw, self._containers)

    async def _live_until_deadline(self) -> PodEnd:
        grace = grace_of(self.facts.spec)
        seconds = self.facts.spec.get("activeDeadlineSeconds")
        deadline = (
            asyncio.create_task(self._end_after(float(seconds), grace)) if seconds is not None else None
        )
        try:
            return await self._live()
        finally:
            if deadline is not None:
                deadline.cancel()

    async def _end_after(self, seconds: float, grace: float) -> None:
        await asyncio.sleep(seconds)
        await self.stop(Stop(DEADLINE_EXCEEDED, monotonic() + grace))

    async def _live(self) -> PodEnd:
        check_names(self.facts.spec)
        self._arrive()
        volumes = Volumes(self.facts, self._setting, self._rooms.folder)
        write_names(self.facts)
        ports = {
            int(port.get("containerPort") or 0)
            for container in self.facts.spec.get("containers") or ()
            for port in container.get("ports") or ()
        }
        name = f"{self.facts.pod.name}.{self.facts.pod.life}"
        room = await self._rooms.open(
            RoomToOpen(
                name, self.facts.hostname, self.facts.address, volumes.memory, self._names(), frozenset(ports)
            )
        )
        try:
            return await self._live_in(room, volumes)
        finally:
            await asyncio.shield(self._clear(room))

    async def _live_in(self, room: Room, volumes: Volumes) -> PodEnd:
        at = Premises(self.facts, self._setting, volumes, room, self._teller, self._stopping)
        policy = str(self.facts.spec.get("restartPolicy") or "Always")
        for spec in self.facts.spec.get("initContainers") or ():
            if spec.get("restartPolicy") == "Always":
                await self._start_sidecar(Container(spec, "Always", at))
            elif not await self._complete(Container(spec, "Never" if policy == "Never" else "OnFailure", at)):
                break
        else:
            await self._run_containers(
                [
                    Container(spec, str(spec.get("restartPolicy") or policy), at)
                    for spec in self.facts.spec["containers"]
                ]
            )
        await self._stop_sidecars()
        return self._end()

    async def _start_sidecar(self, sidecar: Container) -> None:
        self._sidecars.append(sidecar)
        running = asyncio.create_task(sidecar.run())
        self._running.append(running)
        moments = [asyncio.create_task(event.wait()) for event in (sidecar.started, self._stopping)]
        await asyncio.wait((running, *moments), return_when=asyncio.FIRST_COMPLETED)
        for moment in moments:
            moment.cancel()
        if running.done():
            running.result()

    async def _complete(self, init: Container) -> bool:
        """Run an init container to its end; whether the next one may start."""
        self._inits.append(init)
        succeeded = await init.run() == 0
        return succeeded and not self._stopping.is_set()

    async def _run_containers(self, containers: list[Container]) -> None:
        self._containers = containers
        tasks = [asyncio.create_task(one.run()) for one in containers]
        self._running += tasks
        all_started = asyncio.create_task(self._tell_started(containers))
        try:
            await asyncio.gather(*tasks)
        finally:
            all_started.cancel()

    async def _tell_started(self, containers: list[Container]) -> None:
        """All containers run; and then the pod is Ready, which is what controllers wait for."""
        for container in containers:
            await container.started.wait()
        self._teller.tell(Happening.STARTED, text="running")
        for container in (*self._sidecars, *containers):
            await container.ready.wait()
        self._teller.tell(Happening.READY, text="ready")

    async def _stop_sidecars(self) -> None:
        """In the opposite order of their start, within what is left of the grace period."""
        deadline = self._stop.deadline if self._stop else monotonic() + grace_of(self.facts.spec)
        for sidecar in reversed(self._sidecars):
            await sidecar.stop(deadline)

    async def _clear(self, room: Room) -> None:
        await self._on_all(Container.kill, (*self._inits, *self._containers, *self._sidecars))
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        with suppress(RoomError):
            await room.close()

    def _end(self) -> PodEnd:
        """Succeeded if every container has ended well, and nothing but a deletion has come between."""
        codes = {
            one.name: NEVER_STARTED if one.exit_code is None else one.exit_code for one in self._containers
        }
        failed = {one.name: one.exit_code for one in self._inits if one.exit_code}
        stop = self._stop
        well = bool(codes) and not failed and not any(codes.values())
        return PodEnd(
            self.facts.pod,
            succeeded=well and (stop is None or stop.reason == DELETED),
            exit_codes=codes | failed,
            restarts=sum(one.restarts for one in (*self._inits, *self._containers, *self._sidecars)),
            reason=stop.reason if stop else "",
            disrupted=bool(stop and stop.disrupted),
        )

    def _fail(self, reason: str, words: str, exit_codes: dict[str, int] | None = None) -> PodEnd:
        self._teller.note(words)
        if self._stop is not None:
            return self._end()
        return PodEnd(self.facts.pod, succeeded=False, exit_codes=exit_codes or {}, reason=reason)

    async def _on_all(
        self, act: Callable[[Container], Awaitable[None]], containers: tuple[Container, ...] | list[Container]
    ) -> None:
        await asyncio.gather(*(act(container) for container in containers))


def grace_of(spec: JsonObject) -> float:
    """The pod's grace period in seconds."""
    seconds = spec.get("terminationGracePeriodSeconds")
    return DEFAULT_GRACE_SECONDS if seconds is None else float(seconds)


def check_names(spec: JsonObject) -> None:
    """Containers have names, each its own, that can be names of files; raises `ConfigError`."""
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    names = [str(one.get("name", "")) for one in containers]
    for name in names:
        if not CONTAINER_NAME.fullmatch(name) or names.count(name) > 1:
            raise ConfigError(f'"{name}" is no name of a container, or the name of two')
    if not spec.get("containers"):
        raise ConfigError("the pod has no containers")
