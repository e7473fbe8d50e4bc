"""A stage with a kubelet on it: pods with commands in Python go in, how they ended and what was told comes out."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trainshed.model.rehearsal import Event, Happening, PodEnd, PodToRun
from trainshed.rehearse.kubelet import Kubelet
from trainshed.rehearse.kubelet.setting import Setting
from trainshed.rehearse.rooms.choose import choose
from trainshed.rehearse.rooms.room import RoomError, Rooms

JsonObject = dict[str, Any]
PATIENCE_SECONDS = 60


def python(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", code]


def container(code: str, **fields: object) -> JsonObject:
    return {"name": "main", "image": "registry.example.com/image:1", "command": python(code), **fields}


def pod(
    code: str = "pass", name: str = "worker-0", *, spec: JsonObject | None = None, **fields: object
) -> PodToRun:
    metadata = {"name": f"run-{name}", "namespace": "team", "labels": {"replica": name}}
    body = {
        "metadata": metadata,
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 5,
            "containers": [container(code, **fields)],
            **(spec or {}),
        },
    }
    return PodToRun(name, "worker", 0, body)


def headless_service(name: str, **selector: str) -> JsonObject:
    return {
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"clusterIP": "None", "selector": selector},
    }


@dataclass
class Stage:
    """A kubelet in rooms of one kind. `play` runs a coroutine on it, and nothing is left afterwards."""

    kind: str
    folder: Path
    events: list[Event] = field(default_factory=list)
    setting: Setting = field(default_factory=Setting)
    rooms: Rooms | None = None
    kubelet: Kubelet | None = None

    def play(self, scenario: Callable[["Stage"], Awaitable[Any]]) -> Any:
        return asyncio.run(asyncio.wait_for(self._play(scenario), PATIENCE_SECONDS))

    def run(self, one: PodToRun) -> PodEnd:
        async def scenario(stage: Stage) -> PodEnd:
            assert stage.kubelet is not None
            return await stage.kubelet.run(one)

        return self.play(scenario)

    async def _play(self, scenario: Callable[["Stage"], Awaitable[Any]]) -> Any:
        self.rooms, _ = await choose(self.kind, self.folder)
        self.kubelet = Kubelet(self.rooms, self.events.append, self.setting)
        try:
            return await scenario(self)
        finally:
            await self.rooms.close()

    def log(self, name: str = "worker-0.1", container: str = "main") -> str:
        return (self.folder / "pods" / name / "logs" / f"{container}.log").read_text("utf-8")

    def texts(self, happening: Happening = Happening.NOTE) -> list[str]:
        return [event.text for event in self.events if event.happening is happening]

    async def printed(self, text: str, name: str = "worker-0.1", container: str = "main") -> None:
        while True:
            try:
                if f"{text}\n" in self.log(name, container):
                    return
            except FileNotFoundError:
                pass
            await asyncio.sleep(0.02)


def namespaces_are_had(folder: Path) -> bool:
    """Whether this kernel gives isolated rooms; where it does not, that `auto` says so and takes plain ones."""

    async def try_it() -> bool:
        try:
            rooms, _ = await choose("isolated", folder)
        except RoomError as error:
            reason = error.words.partition(";")[0]
            rooms, words = await choose("auto", folder)
            assert rooms.kind == "plain"
            assert words.startswith(reason)
            return False
        finally:
            await rooms.close()
        return True

    return asyncio.run(try_it())
