"""The kubelet's face: run a pod, and let things happen to it."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from ipaddress import IPv4Address
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

from trainshed.model.rehearsal import Event, Happening, PodEnd, PodToRun
from trainshed.rehearse.kubelet.container import NEVER_STARTED
from trainshed.rehearse.kubelet.differences import say_what_differs
from trainshed.rehearse.kubelet.hosts import Neighbour, resolve_names, write_hosts
from trainshed.rehearse.kubelet.plan import names_file
from trainshed.rehearse.kubelet.pod import DELETED, Pod, Stop, grace_of
from trainshed.rehearse.kubelet.setting import HERE, PodFacts, Setting
from trainshed.rehearse.kubelet.telling import Teller
from trainshed.rehearse.rooms.room import Rooms

FIRST_ADDRESS = IPv4Address("10.244.0.2")
MOST_LIVES = 60_000


class Kubelet:
    """Runs pods in rooms and tells what happens. Pods go by their short names; of two lives the younger one is meant.

    Times of events are seconds since `began` of the monotonic clock, by default since this kubelet was made.
    """

    def __init__(
        self,
        rooms: Rooms,
        tell: Callable[[Event], None],
        setting: Setting | None = None,
        *,
        began: float | None = None,
    ) -> None:
        self._rooms = rooms
        self._tell = tell
        self._setting = setting or Setting()
        self._began = monotonic() if began is None else began
        self._lives = 0
        self._pods: dict[str, list[Pod]] = {}
        self._acting: set[asyncio.Task[None]] = set()

    async def run(self, pod: PodToRun) -> PodEnd:
        """Live a pod's life; the end of it, whatever the manifest asked for."""
        life = self._conceive(pod)
        lives = self._pods.setdefault(pod.name, [])
        lives.append(life)
        try:
            return await life.run()
        finally:
            lives.remove(life)
            self._spread_names()

    def kill(self, pod: str) -> None:
        """SIGKILL to all processes of its containers; what comes then is its restart policy's."""
        self._act(pod, Pod.kill)

    async def ask(self, pod: str, command: Sequence[str]) -> int:
        """Run a command beside its first main container; with what code it left, 137 where the pod is not there."""
        life = self._find(pod)
        return await life.ask(command) if life else NEVER_STARTED

    def lose(self, pod: str) -> None:
        """Its node is gone: the pod ends failed and disrupted, and hears nothing of it."""
        self._act(pod, Pod.lose)

    def freeze(self, pod: str) -> None:
        """SIGSTOP to all of its processes: a hung rank."""
        self._act(pod, Pod.freeze)

    def thaw(self, pod: str) -> None:
        """SIGCONT to all of its processes."""
        self._act(pod, Pod.thaw)

    async def delete(self, pod: str, *, grace: float | None = None, disrupted: bool = False) -> None:
        """SIGTERM to process 1 of each container, SIGKILL after `grace` seconds (the pod's own); returns at its end.

        `disrupted` is an eviction: the pod gets the condition DisruptionTarget.
        """
        life = self._find(pod)
        if life is None:
            return
        seconds = grace_of(life.facts.spec) if grace is None else grace
        await life.stop(Stop(DELETED, monotonic() + seconds, disrupted))
        self._teller(life.facts.pod).tell(Happening.DELETED)

    def _conceive(self, pod: PodToRun) -> Pod:
        self._lives = self._lives % MOST_LIVES + 1
        teller = self._teller(pod)
        folder = self._rooms.folder / "pods" / f"{_file_name(pod.name)}.{pod.life}"
        rmtree(folder, ignore_errors=True)  # a pod starts with nothing
        facts = PodFacts(
            pod,
            str(uuid5(NAMESPACE_DNS, f"{pod.name}.{pod.life}.trainshed")),
            str(FIRST_ADDRESS + self._lives) if self._rooms.kind == "isolated" else HERE,
            folder,
            teller.note,
        )
        return Pod(facts, self._setting, self._rooms, teller, self._all_names, lambda: self._arrive(facts))

    def _teller(self, pod: PodToRun) -> Teller:
        return Teller(pod.name, self._tell, self._began)

    def _find(self, pod: str) -> Pod | None:
        lives = self._pods.get(pod)
        return lives[-1] if lives else None

    def _act(self, pod: str, act: Callable[[Pod], Coroutine[Any, Any, None]]) -> None:
        life = self._find(pod)
        if life is not None:
            task = asyncio.create_task(act(life))
            self._acting.add(task)
            task.add_done_callback(self._acting.discard)

    def _spread_names(self) -> None:
        """Write the hosts file of every pod anew: names lead to the pods that are there now."""
        alive = [(life, self._neighbour(life.facts)) for lives in self._pods.values() for life in lives]
        for life, own in alive:
            names = resolve_names((one for _, one in alive), self._setting.services, own.namespace)
            _overwrite(names_file(life.facts, "hosts"), write_hosts(own, life.facts.spec, names))

    def _neighbour(self, facts: PodFacts) -> Neighbour:
        return Neighbour.of(facts.pod.body, facts.hostname, facts.address)

    def _all_names(self) -> frozenset[str]:
        """Every name that any pod could look up, be it there already or not."""
        facts = [PodFacts(pod, "", HERE, self._rooms.folder, lambda _: None) for pod in self._setting.pods]
        facts += [life.facts for lives in self._pods.values() for life in lives]
        everyone = [self._neighbour(one) for one in facts]
        names = resolve_names(everyone, self._setting.services, everyone[0].namespace) if everyone else {}
        return frozenset(names) | {one.hostname for one in facts}

    def _arrive(self, facts: PodFacts) -> None:
        """A pod is there: all others can look it up, and what it does not get is said."""
        self._spread_names()
        for words in say_what_differs(facts.spec):
            facts.note(words)
        subdomain = facts.spec.get("subdomain")
        known = {(service.get("metadata") or {}).get("name") for service in self._setting.services}
        if subdomain and subdomain not in known:
            facts.note(f'there is no Service "{subdomain}", so {facts.hostname}.{subdomain} leads nowhere')


def _file_name(name: str) -> str:
    """The name as one part of a path, whatever a manifest calls its roles."""
    return re.sub(r"[^\w\-]", "-", name)


def _overwrite(file: Path, text: str) -> None:
    """Write in place, for rooms hold this very file, and so that who reads meanwhile never finds it empty."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    with file.open("r+b", buffering=0) as stream:
        stream.write(text.encode("utf-8", "replace"))
        stream.truncate()
