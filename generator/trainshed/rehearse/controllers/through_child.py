"""Kinds whose end is that of the one object that they make: CronJob's Job, TrainJob's JobSet."""

from trainshed.model.rehearsal import PodEnd
from trainshed.rehearse.controllers.actions import Action, Controller, Finish, finish_of, without_finish


class ThroughChild(Controller):
    """Hands everything to its child, and adds a deadline of its own where it has one."""

    def __init__(self, child: Controller, deadline: float | None = None) -> None:
        self.child = child
        self.deadline = deadline
        self.began = 0.0
        self.is_over = False

    def start(self, now: float) -> list[Action]:
        """The child's first pods."""
        self.began = now
        return self._pass(self.child.start(now))

    def pod_ready(self, pod: str, now: float) -> list[Action]:
        """The child's."""
        return self._pass(self.child.pod_ready(pod, now))

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:
        """The child's."""
        return self._pass(self.child.pod_restarted(pod, restarts, now))

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """The child's."""
        return self._pass(self.child.pod_ended(end, now))

    def time_passed(self, now: float) -> list[Action]:
        """`activeDeadlineSeconds` of the owner, then the child's own."""
        if self.deadline is not None and not self.is_over and now - self.began >= self.deadline:
            self.is_over = True
            return [
                Finish(False, "DeadlineExceeded", f"active for {self.deadline:g} s, activeDeadlineSeconds")
            ]
        return self._pass(self.child.time_passed(now))

    def _pass(self, actions: list[Action]) -> list[Action]:
        if self.is_over:
            return without_finish(actions)
        self.is_over = finish_of(actions) is not None
        return actions
