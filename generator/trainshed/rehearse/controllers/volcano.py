"""Volcano's Job: what its policies answer to pods that end, as the Volcano controller decides.

Source: volcano 1.15.1, pkg/controllers/job/{job_controller_util,job_controller_handler}.go and state/*.go.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Action, Controller, Finish, Note
from trainshed.rehearse.controllers.roster import Roster

DEFAULT_RETRIES = 3
SYNC = "SyncJob"
ENDS = {
    "AbortJob": (False, "Aborted"),
    "TerminateJob": (False, "Terminated"),
    "CompleteJob": (True, "Completed"),
}
"""Actions that end the job, and the phase that it ends in."""


class VolcanoController(Controller):
    """All pods of all tasks; without a policy that matches, a failed pod stays failed."""

    def __init__(self, job: JsonObject, pods: Sequence[PodToRun]) -> None:
        self.spec = job["spec"]
        self.tasks: dict[str, JsonObject] = {task["name"]: task for task in self.spec["tasks"]}
        self.pods = {pod.name: pod for pod in pods}
        self.roster = Roster()
        self.retries = 0
        self.succeeded: set[str] = set()
        self.failed: set[str] = set()
        self.waiting: set[str] = set()
        self.is_over = False

    def start(self, now: float) -> list[Action]:  # noqa: ARG002
        """Every pod of every task."""
        return [*self.roster.run_all(self.pods.values())]

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:  # noqa: ARG002
        """The first policy that matches, those of the task before those of the job."""
        was_told = self.roster.end(end)
        if self.is_over:
            return []
        if was_told:
            return self._run_waiting()
        (self.succeeded if end.succeeded else self.failed).add(end.pod.name)
        events = list(self._events_of(end))
        action, is_delayed = self._find_action(end, events)
        noted = [Note("the timeout of that policy is not waited for here")] if is_delayed else []
        return [*noted, *self._act(action, end)]

    def _events_of(self, end: PodEnd) -> Iterator[str]:
        if end.succeeded:
            mine = {pod.name for pod in self.pods.values() if pod.role == end.pod.role}
            if mine <= self.succeeded:
                yield "TaskCompleted"
            return
        yield "PodFailed"
        if end.disrupted:
            yield "PodEvicted"

    def _find_action(self, end: PodEnd, events: list[str]) -> tuple[str, bool]:
        code = next(iter(end.exit_codes.values()), 0)
        task = next((each for name, each in self.tasks.items() if name.lower() == end.pod.role.lower()), {})
        for policy in [*task.get("policies", ()), *self.spec.get("policies", ())]:
            named: list[Any] = [policy.get("event"), *policy.get("events", ())]
            if any(event in named for event in events) or (events and "*" in named):
                return policy["action"], "timeout" in policy
            if policy.get("exitCode") and policy["exitCode"] == code and not end.succeeded:
                return policy["action"], "timeout" in policy
        return SYNC, False

    def _act(self, action: str, end: PodEnd) -> list[Action]:
        if action in ENDS:
            succeeded, phase = ENDS[action]
            return self._finish(succeeded, phase, f"{end.pod.name} ended: {action}")
        if action in ("RestartJob", "RestartTask", "RestartPod"):
            return self._restart(action, end)
        return self._count_up()

    def _restart(self, action: str, end: PodEnd) -> list[Action]:
        """A restart counts, and the last that `maxRetry` has is the failure of the job."""
        self.retries += 1
        most = self.spec.get("maxRetry", DEFAULT_RETRIES)
        if self.retries >= most:
            return self._finish(False, "Failed", f"{end.pod.name} ended: {action}, and maxRetry is {most}")
        again = {
            "RestartJob": set(self.pods),
            "RestartTask": {name for name, pod in self.pods.items() if pod.role == end.pod.role},
            "RestartPod": {end.pod.name},
        }[action]
        self.succeeded -= again
        self.failed -= again
        self.waiting |= again
        note = Note(f"{end.pod.name} ended: {action}, {self.retries} of maxRetry {most}")
        return [note, *self.roster.delete(sorted(again)), *self._run_waiting()]

    def _run_waiting(self) -> list[Action]:
        """Those that were told to go come back once all of them are gone."""
        if self.roster.going:
            return []
        again = [self.pods[name] for name in self.pods if name in self.waiting]
        self.waiting.clear()
        return [*self.roster.run_all(again)]

    def _count_up(self) -> list[Action]:
        """`minSuccess`, then `minAvailable` once every pod is over."""
        least, done = self.spec.get("minSuccess"), len(self.succeeded)
        if least is not None and done >= least:
            return self._finish(True, "Completed", f"{done} pods succeeded, minSuccess is {least}")
        if done + len(self.failed) < len(self.pods):
            return []
        by_task = Counter(self.pods[name].role.lower() for name in self.succeeded)
        short = [
            name
            for name, task in self.tasks.items()
            if task.get("minAvailable") is not None and by_task[name.lower()] < task["minAvailable"]
        ]
        wanted = self.spec.get("minAvailable", len(self.pods)) if least is None else least
        if short or done < wanted:
            return self._finish(
                False, "Failed", f"{done} of {len(self.pods)} pods succeeded, {wanted} have to"
            )
        return self._finish(True, "Completed", f"{done} of {len(self.pods)} pods succeeded")

    def _finish(self, succeeded: bool, phase: str, text: str) -> list[Action]:
        self.is_over = True
        return [*self.roster.delete_all(), Finish(succeeded, phase, text)]
