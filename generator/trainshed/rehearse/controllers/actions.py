"""What a controller decides, and how it is told what happened: no clock, no process, no file."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

from trainshed.model.rehearsal import PodEnd, PodToRun


@dataclass(frozen=True, slots=True)
class Run:
    """Start this pod, once `after` seconds of a cluster's time are over: its back-off."""

    pod: PodToRun
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the pod of that name, with its own grace period."""

    pod: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Run this command inside a pod, and tell with what code it left."""

    pod: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finish:
    """The workload is over; `reason` is that of its condition, `text` a sentence, `pod` the one that can say why."""

    succeeded: bool
    reason: str
    text: str = ""
    pod: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the record, such as why a failure did not count."""

    text: str


Action: TypeAlias = Run | Delete | Ask | Finish | Note


class Controller(ABC):
    """Decides which pods run, which are replaced, and when the workload is over.

    Is told everything in order, with the seconds since the rehearsal began. A pod that it deletes is told of as ended,
    even if it never started. After `Finish` nothing that it is told leads to anything.
    """

    lasts = False
    """Whether the workload never ends by itself, as a Deployment."""

    @abstractmethod
    def start(self, now: float) -> list[Action]:
        """The first actions."""

    def pod_ready(self, pod: str, now: float) -> list[Action]:  # noqa: ARG002 - most have nothing to wait for
        """A pod has its condition Ready: all containers run, and their readiness probes have passed."""
        return []

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:  # noqa: ARG002
        """The kubelet has restarted a container in place: so many times in this pod's life."""
        return []

    def answered(self, code: int, now: float) -> list[Action]:  # noqa: ARG002 - most ask nothing
        """What was asked inside a pod left with that code."""
        return []

    @abstractmethod
    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """A pod is over."""

    def time_passed(self, now: float) -> list[Action]:  # noqa: ARG002 - most have no deadline
        """Called now and then."""
        return []


def finish_of(actions: list[Action]) -> Finish | None:
    """The end among the actions, if they hold it."""
    return next((action for action in actions if isinstance(action, Finish)), None)


def without_finish(actions: list[Action]) -> list[Action]:
    """The actions of a part, whose end is not that of the whole."""
    return [action for action in actions if not isinstance(action, Finish)]
