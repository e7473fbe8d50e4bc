"""The conductor: a controller decides, a kubelet does, faults come in between, until it is over or the time is up."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass

from trainshed.model.rehearsal import Event, Happening, PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Action, Ask, Controller, Delete, Finish, Note, Run
from trainshed.rehearse.faults import OF_CLAIMS, Deed, Fault, Schedule
from trainshed.rehearse.slowness import SlowClaim, claims_of
from trainshed.rehearse.stage import Claims, Kubelet

TICK_SECONDS = 0.05
BACK_OFF_PACE = 0.05
"""Controllers wait 10 s and more before they start a pod again; here half a second stands for ten."""

CANNOT_START = frozenset({"CreateContainerConfigError", "RunContainerError", "RoomError"})
"""Ends of pods that would come again however often they were tried: there is nothing left to rehearse."""

LAST_GRACE_SECONDS = 5.0
"""What pods get when the rehearsal itself ends."""

CALM_SECONDS = 5.0
"""How long a workload that never ends has to be up before it counts as rehearsed."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the play ended: the controller's last word, or none where the time was up. `pending` are faults to come."""

    finish: Finish | None
    seconds: float
    pending: tuple[Fault, ...] = ()


class Play:
    """One rehearsal from the first pod to the last. Every event goes to `tell`, those of the kubelet through `hear`."""

    def __init__(
        self,
        controller: Controller,
        schedule: Schedule,
        *,
        tell: Callable[[Event], None],
        clock: Callable[[], float],
        slow: Iterable[SlowClaim] = (),
    ) -> None:
        self._controller = controller
        self._schedule = schedule
        self._tell = tell
        self._clock = clock
        self._slow = tuple(slow)
        self._inbox: list[Event | PodEnd | int] = []
        self._wake = asyncio.Event()
        self._pods: dict[str, PodToRun] = {}
        self._lives: dict[str, asyncio.Task[None]] = {}
        self._errands: set[asyncio.Task[None]] = set()
        self._unstarted: set[str] = set()
        self._running: set[str] = set()
        self._restarts: dict[str, int] = {}
        self._leaving: set[str] = set()
        self._finish: Finish | None = None
        self._fault: BaseException | None = None
        self._changed = 0.0
        self._no_node_until: dict[str, float] = {}

    def hear(self, event: Event) -> None:
        """What the kubelet tells. The end of a pod is told once it is known how: with its exit codes."""
        if event.happening is Happening.ENDED and not event.container:
            return
        self._tell(event)
        self._inbox.append(event)
        self._wake.set()

    async def run(self, kubelet: Kubelet, claims: Claims, limit_seconds: float) -> Ending:
        """Play to the end; whatever happens, no pod is left behind."""
        try:
            async with asyncio.timeout(limit_seconds):
                await self._conduct(kubelet, claims)
        except TimeoutError:
            self._say(Happening.JOB, text=f"not over after {limit_seconds:g} s: everything is ended")
        finally:
            await self._tear_down(kubelet)
        return Ending(self._finish, self._clock(), self._schedule.pending)

    async def _conduct(self, kubelet: Kubelet, claims: Claims) -> None:
        self._perform(self._controller.start(self._clock()), kubelet)
        while not self._is_over():
            await self._next_moment()
            inbox, self._inbox = self._inbox, []
            for message in inbox:
                self._perform(self._pass_on(message), kubelet)
            self._perform(self._controller.time_passed(self._clock()), kubelet)
            for fault in self._schedule.take_due(self._clock(), self._can_happen):
                await self._strike(fault, kubelet, claims)
            for slow in self._slow:
                self._hold_back(slow, kubelet, claims)

    def _note_fault(self, task: "asyncio.Task[None]") -> None:
        """A kubelet that cannot go on ends the play, whose caller hears why."""
        if not task.cancelled() and task.exception() is not None:
            self._fault = task.exception()
            self._wake.set()

    async def _next_moment(self) -> None:
        try:
            async with asyncio.timeout(TICK_SECONDS):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()
        if self._fault is not None:
            raise self._fault

    def _is_over(self) -> bool:
        """The controller has said so, and the pods that it deleted are gone; or what never ends has been up a while."""
        if self._finish is not None:
            return not self._leaving
        is_up = bool(self._pods) and self._running >= self._pods.keys()
        is_calm = self._clock() - self._changed >= CALM_SECONDS and not self._schedule.pending
        if self._controller.lasts and is_up and is_calm:
            self._end(Finish(True, "Running", f"up for {CALM_SECONDS:g} s; it never ends by itself"))
        return self._finish is not None

    def _pass_on(self, message: Event | PodEnd | int) -> list[Action]:
        """Tell the controller of what it waits for: an event, the end of a pod, the answer to what it asked."""
        now = self._clock()
        if isinstance(message, int):
            return self._controller.answered(message, now)
        if isinstance(message, PodEnd):
            self._strike_off(message)
            if message.reason in CANNOT_START:
                self._end(Finish(False, message.reason, f"{message.pod.name} cannot run on this machine"))
            return self._controller.pod_ended(message, now)
        pod = message.pod
        if pod not in self._pods:
            return []
        if message.happening is Happening.STEP:
            self._schedule.stepped(pod, message.step)
        elif message.happening is Happening.RESTARTED and message.rank < 0:
            self._restarts[pod] += 1
            return self._controller.pod_restarted(pod, self._restarts[pod], now)
        elif message.happening is Happening.STARTED and not message.container:
            self._running.add(pod)
            self._changed = now
        elif message.happening is Happening.READY:
            return self._controller.pod_ready(pod, now)
        return []

    def _perform(self, actions: Iterable[Action], kubelet: Kubelet) -> None:
        for action in actions:
            match action:
                case Run(pod, after):
                    self._start(pod, after * BACK_OFF_PACE, kubelet)
                case Delete(name):
                    self._delete(name, kubelet)
                case Ask(name, command):
                    self._run_errand(self._ask(name, command, kubelet))
                case Note(text):
                    self._say(Happening.NOTE, text=text)
                case Finish():
                    self._end(action)

    def _end(self, finish: Finish) -> None:
        self._finish = self._finish or finish
        words = f"{'succeeded' if finish.succeeded else 'failed'}: {finish.reason}"
        self._say(Happening.JOB, text=f"{words}, {finish.text}" if finish.text else words)

    def _start(self, pod: PodToRun, delay: float, kubelet: Kubelet) -> None:
        self._pods[pod.name] = pod
        self._restarts[pod.name] = 0
        self._unstarted.add(pod.name)
        self._changed = self._clock()
        self._lives[pod.name] = asyncio.create_task(self._live(pod, delay, kubelet))
        self._lives[pod.name].add_done_callback(self._note_fault)

    async def _live(self, pod: PodToRun, delay: float, kubelet: Kubelet) -> None:
        pending = self._no_node_until.get(pod.name, 0.0) - self._clock()
        if pending > 0:
            self._say(Happening.NOTE, pod=pod.name, text=f"{pod.name} is pending: there is no node for it")
        await asyncio.sleep(max(delay, pending))
        self._unstarted.discard(pod.name)
        self._post(await kubelet.run(pod))

    async def _ask(self, pod: str, command: tuple[str, ...], kubelet: Kubelet) -> None:
        self._post(await kubelet.ask(pod, command))

    def _post(self, message: PodEnd | int) -> None:
        self._inbox.append(message)
        self._wake.set()

    def _delete(self, name: str, kubelet: Kubelet) -> None:
        """A pod that waits for its back-off never starts."""
        self._leaving.add(name)
        if name in self._unstarted:
            self._lives[name].cancel()
            self._post(PodEnd(self._pods[name], False, {}, reason="deleted before it started"))
        else:
            self._run_errand(kubelet.delete(name))

    def _strike_off(self, end: PodEnd) -> None:
        name = end.pod.name
        codes = ", ".join(
            f"{container} left with {code}" for container, code in end.exit_codes.items() if code
        )
        is_deleted = end.reason == "Deleted" and not end.disrupted
        outcome = "succeeded" if end.succeeded else "deleted" if is_deleted else "failed"
        words = ", ".join(dict.fromkeys(filter(None, (outcome, end.reason.lower(), codes))))
        self._say(Happening.ENDED, pod=name, text=words, outcome=outcome)
        self._running.discard(name)
        for known in (self._pods, self._lives, self._restarts):
            known.pop(name, None)
        for slow in self._slow:
            slow.waiting.discard(name)
        self._unstarted.discard(name)
        self._leaving.discard(name)
        self._changed = self._clock()

    def _can_happen(self, fault: Fault) -> bool:
        """A pod has to be there and running; a claim always is."""
        return fault.deed in OF_CLAIMS or fault.target in self._running - self._leaving

    async def _strike(self, fault: Fault, kubelet: Kubelet, claims: Claims) -> None:
        pod = "" if fault.deed in OF_CLAIMS else fault.target
        self._say(Happening.FAULT, pod=pod, text=str(fault), deed=fault.deed)
        match fault.deed:
            case Deed.KILL:
                kubelet.kill(pod)
            case Deed.HANG:
                kubelet.freeze(pod)
            case Deed.FILL:
                await claims.fill(fault.target)
            case Deed.RECLAIM:
                self._leaving.add(pod)
                self._no_node_until[pod] = self._clock() + fault.away
                if fault.notice == 0:
                    kubelet.lose(pod)
                else:
                    self._run_errand(kubelet.delete(pod, grace=fault.notice, disrupted=True))
            case Deed.SLOW:
                pass

    def _hold_back(self, slow: SlowClaim, kubelet: Kubelet, claims: Claims) -> None:
        must_wait = slow.must_wait(self._clock(), claims.num_bytes(slow.claim))
        if must_wait:
            writers = {name for name, pod in self._pods.items() if slow.claim in claims_of(pod)}
            for name in sorted(writers - slow.waiting):
                kubelet.freeze(name)
            slow.waiting |= writers
        elif slow.waiting:
            for name in sorted(slow.waiting & self._pods.keys()):
                kubelet.thaw(name)
            slow.waiting.clear()

    async def _tear_down(self, kubelet: Kubelet) -> None:
        """End every pod, politely first."""
        running = [name for name in self._lives if name not in self._unstarted]
        for name in self._unstarted & self._lives.keys():
            self._lives[name].cancel()
        grace = LAST_GRACE_SECONDS
        async with asyncio.TaskGroup() as group:
            for name in running:
                group.create_task(kubelet.delete(name, grace=grace))
        await asyncio.gather(*self._lives.values(), *self._errands, return_exceptions=True)

    def _run_errand(self, errand: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def _say(self, happening: Happening, *, pod: str = "", text: str = "", **detail: str) -> None:
        self._tell(Event(self._clock(), happening, pod=pod, text=text, detail=detail))
