"""MPIJob v2beta1: workers that stay, and a launcher that is a Job, as the MPI Operator decides.

Source: mpi-operator 0.8.2, pkg/controller/mpi_job_controller.go (syncHandler, getOrCreateWorker, updateMPIJobStatus).
"""

from trainshed.model.rehearsal import PodEnd
from trainshed.rehearse.controllers.actions import (
    Action,
    Controller,
    Finish,
    Note,
    finish_of,
    without_finish,
)
from trainshed.rehearse.controllers.job import JobController
from trainshed.rehearse.controllers.owned import Owned
from trainshed.rehearse.controllers.roster import Roster

LOST_WELL = "mpirun of Open MPI 5.0.11 does so, and the job counts as done; let the command check that it is"


class MPIController(Controller):
    """The launcher's Job decides how it ends; `launcherCreationPolicy` says whether it waits for the workers."""

    def __init__(self, mpijob: Owned) -> None:
        (launcher,) = mpijob.of_kind("Job")
        self.spec = mpijob.body["spec"]
        self.launcher = JobController(launcher.body, launcher.pods)
        self.launchers = {pod.name for pod in launcher.pods}
        self.workers = {pod.name: pod for pod in mpijob.pods}
        self.roster = Roster()
        self.lost: list[str] = []
        self.has_launched = False
        self.is_over = False

    def start(self, now: float) -> list[Action]:
        """The workers, and the launcher unless it has to wait for them."""
        workers: list[Action] = [*self.roster.run_all(self.workers.values())]
        waits = self.spec.get("launcherCreationPolicy", "AtStartup") == "WaitForWorkersReady" and self.workers
        return workers if waits else [*workers, *self._launch(now)]

    def pod_ready(self, pod: str, now: float) -> list[Action]:
        """The last worker that is ready lets the launcher start."""
        if pod in self.launchers:
            return self.launcher.pod_ready(pod, now)
        self.roster.mark_ready(pod)
        are_ready = self.roster.ready >= self.workers.keys()
        return self._launch(now) if are_ready and not self.has_launched else []

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:
        """Only the launcher's restarts count."""
        return self._hear(self.launcher.pod_restarted(pod, restarts, now)) if pod in self.launchers else []

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """A worker that failed stays failed; one whose node is gone is made anew."""
        if end.pod.name in self.launchers:
            return self._hear(self.launcher.pod_ended(end, now))
        was_told = self.roster.end(end)
        if was_told or self.is_over or end.succeeded:
            return []
        self.lost.append(end.pod.name)
        if end.disrupted:
            return [self.roster.run(self.workers[end.pod.name])]
        return [Note(f"{end.pod.name} failed: the MPI Operator does not start a failed worker again")]

    def time_passed(self, now: float) -> list[Action]:
        """The launcher's deadline, which is the job's."""
        return self._hear(self.launcher.time_passed(now)) if self.has_launched else []

    def _launch(self, now: float) -> list[Action]:
        self.has_launched = True
        return self.launcher.start(now)

    def _hear(self, actions: list[Action]) -> list[Action]:
        end = finish_of(actions)
        if end is None or self.is_over:
            return without_finish(actions)
        self.is_over = True
        policy = self.spec.get("runPolicy", {}).get("cleanPodPolicy", "None")
        leaving: list[Action] = [*self.roster.delete_all()]
        if policy == "None" and leaving:
            leaving = [
                Note(f"{len(leaving)} worker(s) run on and hold what they have: cleanPodPolicy is None")
            ]
        if end.succeeded and self.lost:
            leaving.append(Note(f"the launcher left with 0 although {self.lost[-1]} was lost: {LOST_WELL}"))
        reason = "MPIJobSucceeded" if end.succeeded else "MPIJobFailed"
        return [
            *without_finish(actions),
            *leaving,
            Finish(end.succeeded, reason, f"launcher: {end.reason}. {end.text}".strip(". ")),
        ]
