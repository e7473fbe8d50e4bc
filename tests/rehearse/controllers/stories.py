"""Stories of pods, one line an event: `worker-1 fails 137 -> run worker-1 again`. What stands right of it is expected."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trainshed.engine.messages import MadeObject
from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers import control
from trainshed.rehearse.controllers.actions import Action, Ask, Controller, Delete, Finish, Note, Run
from trainshed.rehearse.controllers.owned import build_tree

KILLED_POLITELY = 143


@dataclass
class Making:
    """What controllers make of a workload, noted down by hand."""

    workload: dict[str, Any]
    made: list[MadeObject] = field(default_factory=list)
    pods: list[PodToRun] = field(default_factory=list)

    def add(
        self,
        kind: str,
        spec: Mapping[str, Any],
        name: str,
        role: str = "",
        owner: int = -1,
        api: str = "batch/v1",
        labels: Mapping[str, str] | None = None,
    ) -> int:
        """Something that stands between; its place among all that is made."""
        body = {
            "apiVersion": api,
            "kind": kind,
            "metadata": {"name": name, "labels": dict(labels or {})},
            "spec": dict(spec),
        }
        self.made.append(MadeObject(role, 0, owner, body))
        return len(self.made) - 1

    def add_pods(self, role: str, count: int, owner: int = -1, container: str = "main") -> "Making":
        """Pods `<role>-<index>`."""
        for index in range(count):
            annotations = {"batch.kubernetes.io/job-completion-index": str(index)}
            body = {
                "kind": "Pod",
                "metadata": {"annotations": annotations},
                "spec": {"containers": [{"name": container}]},
            }
            self.made.append(MadeObject(role, index, owner, body))
            self.pods.append(PodToRun(f"{role.lower()}-{index}", role, index, body, owner))
        return self

    def control(self) -> Controller:
        """The controller that the table has for it."""
        return control(build_tree(self.workload, self.made, self.pods))


def workload(api: str, kind: str, spec: Mapping[str, Any]) -> Making:
    """An object of which something is made."""
    return Making({"apiVersion": api, "kind": kind, "metadata": {"name": "it"}, "spec": dict(spec)})


class Stage:
    """Tells a controller what happens, and writes down what it does. Pods that are deleted end at once."""

    def __init__(self, making: Making) -> None:
        self.controller = making.control()
        self.pods = {pod.name: pod for pod in making.pods}
        self.container = {pod.name: pod.body["spec"]["containers"][0]["name"] for pod in making.pods}
        self.now = 0.0

    def tell(self, event: str) -> str:
        """One event in words; the actions in words."""
        return ", ".join(self._words(self._happen(event)))

    def _happen(self, event: str) -> list[Action]:
        if event == "start":
            return self.controller.start(self.now)
        if after := re.fullmatch(r"(\d+) s pass", event):
            self.now += int(after[1])
            return self.controller.time_passed(self.now)
        name, verb, *rest = event.split()
        match verb:
            case "runs":
                return self.controller.pod_ready(name, self.now)
            case "restarts":
                return self.controller.pod_restarted(name, int(rest[0]), self.now)
            case "succeeds":
                return self._end(name, True, 0)
            case "fails":
                return self._end(name, False, int(rest[0]))
            case "answers":
                return self.controller.answered(int(rest[0]), self.now)
            case "disrupted":
                return self._end(name, False, KILLED_POLITELY, disrupted=True)
            case _:
                raise ValueError(event)

    def _end(self, name: str, succeeded: bool, code: int, disrupted: bool = False) -> list[Action]:
        end = PodEnd(self.pods[name], succeeded, {self.container[name]: code}, disrupted=disrupted)
        return self.controller.pod_ended(end, self.now)

    def _words(self, actions: Sequence[Action]) -> list[str]:
        words: list[str] = []
        for action in actions:
            match action:
                case Run(pod, after):
                    again = f" again ({pod.life})" if pod.life > 1 else ""
                    words.append(f"run {pod.name}{again}" + (f" after {after:g} s" if after else ""))
                case Delete(name):
                    words.append(f"delete {name}")
                case Ask(name):
                    words.append(f"ask {name}")
                case Finish(succeeded, reason):
                    words.append(f"{'succeeded' if succeeded else 'failed'}: {reason}")
                case Note():
                    words.append("note")
        for action in actions:
            if isinstance(action, Delete):
                words += self._words(self._end(action.pod, False, KILLED_POLITELY))
        return words


def check_story(making: Making, story: str) -> None:
    """Every line of a story, in order."""
    stage = Stage(making)
    lines = [line.strip() for line in story.strip().splitlines()]
    told = [(line.partition(" -> ")[0], line.partition(" -> ")[2]) for line in lines]
    assert [f"{event} -> {stage.tell(event)}".removesuffix(" -> ") for event, _ in told] == lines
