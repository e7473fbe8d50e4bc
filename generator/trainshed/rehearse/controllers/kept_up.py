"""Workloads that never end: RayCluster, StatefulSet, Deployment. A pod that is over is made anew, always.

Sources: kuberay 1.6.2, shouldDeletePod in raycluster_controller.go; Kubernetes, StatefulSet and ReplicaSet keep up
`spec.replicas`.
"""

from collections.abc import Sequence

from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Action, Controller
from trainshed.rehearse.controllers.roster import Roster


class KeptUp(Controller):
    """All pods, as often as it takes. `one_by_one` waits until a pod is ready before the next, as StatefulSets do."""

    lasts = True

    def __init__(self, pods: Sequence[PodToRun], one_by_one: bool = False) -> None:
        self.pods = {pod.name: pod for pod in pods}
        self.one_by_one = one_by_one
        self.roster = Roster()

    @property
    def is_up(self) -> bool:
        """Whether every pod is ready."""
        return self.roster.ready >= self.pods.keys()

    def start(self, now: float) -> list[Action]:  # noqa: ARG002
        """All pods, or the first."""
        first = list(self.pods.values())[:1] if self.one_by_one else self.pods.values()
        return [*self.roster.run_all(first)]

    def pod_ready(self, pod: str, now: float) -> list[Action]:  # noqa: ARG002
        """The next pod may start."""
        self.roster.mark_ready(pod)
        waiting = [each for name, each in self.pods.items() if name not in self.roster.alive]
        are_ready = self.roster.ready >= self.roster.alive.keys()
        return [*self.roster.run_all(waiting[:1])] if self.one_by_one and are_ready else []

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:  # noqa: ARG002
        """The same pod anew, unless all were told to go."""
        was_told = self.roster.end(end)
        return [] if was_told else [self.roster.run(self.pods[end.pod.name])]
