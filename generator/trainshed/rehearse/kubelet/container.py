"""The life of a container: started, probed, restarted as its policy says, told to stop, killed."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import Happening
from trainshed.rehearse.kubelet.backoff import Backoff
from trainshed.rehearse.kubelet.output import Log, OutputReader
from trainshed.rehearse.kubelet.plan import plan_process, program_of_probes
from trainshed.rehearse.kubelet.probes import Probe, Verdict, command_of, read_probe
from trainshed.rehearse.kubelet.progress import LOOK_SECONDS, ProgressWatch
from trainshed.rehearse.kubelet.setting import PodFacts, Setting
from trainshed.rehearse.kubelet.telling import Teller, wait_for
from trainshed.rehearse.kubelet.volumes import Volumes
from trainshed.rehearse.rooms.pipe import NamedPipe
from trainshed.rehearse.rooms.room import Process, ProcessToStart, Room, RoomError

LAST_OUTPUT_SECONDS = 1.0
LEAST_GRACE_SECONDS = 2.0
"""What is left to a container whose preStop hook has used up the grace period (kubelet, `killContainer`)."""
NEVER_STARTED = 137
TIMED_OUT = 124


class RunError(Exception):
    """A container cannot be started on this machine, however often it is tried; the message says what is missing."""

    def __init__(self, words: str, container: str, exit_code: int) -> None:
        super().__init__(words)
        self.container = container
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Premises:
    """What the containers of a pod share."""

    facts: PodFacts
    setting: Setting
    volumes: Volumes
    room: Room
    teller: Teller
    stopping: asyncio.Event


class Container:
    """One container of a pod. `policy` is its restart policy: Always, OnFailure or Never."""

    def __init__(self, spec: JsonObject, policy: str, premises: Premises) -> None:
        self.name = str(spec.get("name", ""))
        self.exit_code: int | None = None
        self.restarts = 0
        self.started = asyncio.Event()
        self.ready = asyncio.Event()
        self._spec = spec
        self._policy = policy
        self._at = premises
        self._process: Process | None = None
        self._plan: ProcessToStart | None = None
        self._ended = asyncio.Event()
        self._deadline: float | None = None

    async def run(self) -> int:
        """Run it until its policy lets it rest, and give its last exit code. Raises `ConfigError` and `RunError`."""
        backoff = Backoff(self._at.setting.hurry)
        while not self._is_told():
            began = monotonic()
            self.exit_code = await self._run_once()
            if self._is_told() or not self._is_restarted():
                break
            if await wait_for(self._at.stopping, backoff.next_pause(monotonic() - began)):
                break
            self.restarts += 1
            detail = {"restarts": str(self.restarts)}
            self._at.teller.tell(Happening.RESTARTED, self.name, detail=detail)
        self.exit_code = NEVER_STARTED if self.exit_code is None else self.exit_code
        return self.exit_code

    async def stop(self, deadline: float) -> None:
        """Its preStop hook, its stop signal to process 1, and SIGKILL at the deadline of the monotonic clock."""
        self._deadline = deadline
        if self._process is not None:
            await self._end(deadline)

    async def kill(self) -> None:
        """SIGKILL to all of its processes."""
        await self._signal(signal.SIGKILL, everyone=True)

    async def freeze(self) -> None:
        """SIGSTOP to all of its processes: it hangs."""
        await self._signal(signal.SIGSTOP, everyone=True)

    async def thaw(self) -> None:
        """Let it go on."""
        await self._signal(signal.SIGCONT, everyone=True)

    async def ask(self, command: Sequence[str], seconds: float = float("inf")) -> int:
        """Run a command beside it, in its environment, for so long at most; with what code it left."""
        process, plan = self._process, self._plan
        if process is None or plan is None:
            return NEVER_STARTED
        name = f"{self.name}-inside-{monotonic()}"
        with NamedPipe(self._at.facts.folder / "pipes" / name) as pipe:
            inside = replace(plan, command=tuple(command), inside=process.number, output=str(pipe.path))
            try:
                started = await self._at.room.start(inside)
            except RoomError as error:
                self._at.teller.note(f"{' '.join(command)}: {error.words}", self.name)
                return error.exit_code
            pipe.pour_away()
            try:
                return await asyncio.wait_for(started.wait(), None if seconds == float("inf") else seconds)
            except TimeoutError:
                return TIMED_OUT
            finally:
                await asyncio.shield(started.signal(signal.SIGKILL))

    def _is_told(self) -> bool:
        return self._deadline is not None or self._at.stopping.is_set()

    def _is_restarted(self) -> bool:
        return self._policy == "Always" or (self._policy == "OnFailure" and self.exit_code != 0)

    async def _run_once(self) -> int:
        folder = self._at.facts.folder
        progress = folder / "progress" / f"{self.name}-{self.restarts}"
        progress.mkdir(parents=True, exist_ok=True)
        with NamedPipe(folder / "pipes" / self.name) as pipe:
            at = self._at
            self._plan = plan_process(self._spec, at.facts, at.setting, at.volumes, pipe.path, progress)
            probes = [self._probe(f"{kind}Probe") for kind in ("startup", "readiness", "liveness")]
            watch = ProgressWatch(progress, self.name, at.teller)
            self._process = process = await self._start(self._plan)
            self._ended.clear()
            reader = OutputReader(pipe.reading, Log(self._log), self.name, at.teller, lambda: watch.seen)
            at.teller.tell(Happening.STARTED, self.name, text=" ".join(self._plan.command))
            beside = [asyncio.create_task(self._look(watch)), asyncio.create_task(self._attend(*probes))]
            if self._deadline is not None:  # told to stop while it was being started
                beside.append(asyncio.create_task(self._end(self._deadline)))
            try:
                code = await process.wait()
            except asyncio.CancelledError:
                await asyncio.shield(self.kill())
                raise
            finally:
                self._process = None
                self._ended.set()
                for task in beside:
                    task.cancel()
                await reader.finish(LAST_OUTPUT_SECONDS)
                outcomes = await asyncio.gather(*beside, return_exceptions=True)
            for outcome in outcomes:
                if isinstance(outcome, Exception):
                    raise outcome
            watch.look()
            at.teller.tell(
                Happening.ENDED, self.name, text=f"exit code {code}", detail={"exit_code": str(code)}
            )
            return code

    @property
    def _log(self) -> Path:
        return self._at.facts.folder / "logs" / f"{self.name}.log"

    async def _start(self, plan: ProcessToStart) -> Process:
        try:
            process = await self._at.room.start(plan)
        except RoomError as error:
            words = f"container {self.name}: {error.words}"
            if error.exit_code in (126, 127):
                words += (
                    " on this machine: --python FOLDER or --mount PATH=FOLDER brings it, --command another"
                )
            raise RunError(words, self.name, error.exit_code) from None
        for note in process.notes:
            self._at.teller.note(note, self.name)
        return process

    async def _look(self, watch: ProgressWatch) -> None:
        while True:
            watch.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def _attend(self, startup: Probe | None, readiness: Probe | None, liveness: Probe | None) -> None:
        """The postStart hook, then the startup probe, then both others; what fails kills it, but for readiness."""
        hook = (self._spec.get("lifecycle") or {}).get("postStart")
        if hook and await self._run_hook(hook, "postStart") != 0:
            await self.kill()
            return
        hurry = self._at.setting.hurry
        if startup and not await self._passes(startup.hasten(hurry)):
            await self._fail("startup probe")
            return
        self.started.set()
        await asyncio.gather(self._get_ready(readiness and readiness.hasten(hurry)), self._survive(liveness))

    async def _get_ready(self, readiness: Probe | None) -> None:
        """However long it takes; it is ready once in a life, for nobody sends traffic that could be held back."""
        while readiness and not await self._passes(readiness):
            pass
        self.ready.set()

    async def _survive(self, liveness: Probe | None) -> None:
        if liveness:
            await liveness.watch(self.ask, until=Verdict.FAILED)
            await self._fail("liveness probe")

    async def _passes(self, probe: Probe) -> bool:
        return await probe.watch(self.ask, until=Verdict.PASSED) is Verdict.PASSED

    def _probe(self, kind: str) -> Probe | None:
        at = self._at
        return read_probe(
            self._spec.get(kind), self._spec, at.facts.address, program_of_probes(), at.teller.note
        )

    async def _fail(self, probe: str) -> None:
        self._at.teller.note(f"the {probe} failed, so the container is stopped", self.name)
        grace = float(self._at.facts.spec.get("terminationGracePeriodSeconds", 30))
        await self._end(monotonic() + grace)

    async def _end(self, deadline: float) -> None:
        hook = (self._spec.get("lifecycle") or {}).get("preStop")
        if hook and deadline > monotonic():
            await self._run_hook(hook, "preStop", deadline - monotonic())
            deadline = max(deadline, monotonic() + LEAST_GRACE_SECONDS)
        left = deadline - monotonic()
        if left > 0 and not self._ended.is_set():
            told = self._stop_signal()
            self._at.teller.tell(Happening.TOLD, self.name, seconds=left, text=told.name)
            await self._signal(told)
            if await wait_for(self._ended, left):
                return
        await self.kill()
        await self._ended.wait()

    def _stop_signal(self) -> signal.Signals:
        name = str((self._spec.get("lifecycle") or {}).get("stopSignal") or "SIGTERM")
        return signal.Signals.__members__.get(name, signal.SIGTERM)

    async def _run_hook(self, hook: JsonObject, kind: str, seconds: float = float("inf")) -> int:
        if "sleep" in hook:
            await asyncio.sleep(min(float(hook["sleep"].get("seconds") or 0), seconds))
            return 0
        command = command_of(hook, self._spec, self._at.facts.address, program_of_probes())
        if command is None:
            self._at.teller.note(f"a {kind} hook of this kind is left out", self.name)
            return 0
        code = await self.ask(command, seconds)
        if code != 0:
            self._at.teller.note(f"the {kind} hook failed with exit code {code}", self.name)
        return code

    async def _signal(self, number: signal.Signals, *, everyone: bool = False) -> None:
        if self._process is not None:
            with suppress(RoomError):
                await self._process.signal(number, everyone=everyone)
