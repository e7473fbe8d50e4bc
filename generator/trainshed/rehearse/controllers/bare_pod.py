"""A Pod that nobody made: what its kubelet does not restart is over."""

from collections.abc import Sequence

from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Action, Controller, Finish, Run


class BarePodController(Controller):
    """Runs it once. Nobody replaces a pod without an owner, be it deleted or its node lost."""

    def __init__(self, pods: Sequence[PodToRun]) -> None:
        self.pods = pods

    def start(self, now: float) -> list[Action]:  # noqa: ARG002
        """The pod."""
        return [Run(pod) for pod in self.pods]

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:  # noqa: ARG002
        """Its end."""
        return [Finish(end.succeeded, "Succeeded" if end.succeeded else "Failed", end.reason)]
