"""RayJob and RayCluster: a cluster of pods that are kept up, and a submitter whose end is the job's.

Source: kuberay 1.6.2, ray-operator/controllers/ray/{rayjob,raycluster}_controller.go.
"""

from trainshed.model.rehearsal import PodEnd
from trainshed.model.selection import SelectionError
from trainshed.rehearse.controllers.actions import (
    Action,
    Ask,
    Controller,
    Finish,
    Note,
    finish_of,
    without_finish,
)
from trainshed.rehearse.controllers.job import JobController
from trainshed.rehearse.controllers.kept_up import KeptUp
from trainshed.rehearse.controllers.owned import Owned
from trainshed.rehearse.kubelet.plan import program_of_probes

ASK_FOR_STATUS = (
    program_of_probes(),
    "-c",
    """\
import json, sys, time, urllib.request
for _ in range(60):
    with urllib.request.urlopen("http://127.0.0.1:8265/api/jobs/", timeout=10) as answer:
        found = [job["status"] for job in json.load(answer) if job["type"] == "SUBMISSION"]
    if not {"PENDING", "RUNNING"}.intersection(found):
        sys.exit({"SUCCEEDED": 0, "FAILED": 3, "STOPPED": 4}.get(found[-1] if found else "", 5))
    time.sleep(0.5)
sys.exit(6)
""",
)
"""Asks the head's dashboard as KubeRay does; a cluster is there for one job."""

STATUS_OF = {
    3: "Ray says that the job failed",
    4: "Ray says that the job was stopped",
    5: "Ray knows of no job",
    6: "the submitter is gone, and Ray says that the job runs on",
}


class RayJobController(Controller):
    """The cluster, then the submitter's Job once all its pods are ready; each retry is a new cluster."""

    def __init__(self, rayjob: Owned) -> None:
        self.spec = rayjob.body["spec"]
        self.cluster_of = _only(
            rayjob, "RayCluster", "clusterSelector asks for a cluster that is there already"
        )
        mode = self.spec.get("submissionMode", "K8sJobMode")
        self.submitter_of = _only(
            rayjob, "Job", f"nobody submits in submissionMode {mode}: rehearse K8sJobMode"
        )
        self.head = next(pod.name for pod in self.cluster_of.pods if pod.role.lower() == "head")
        self.retries_left: int = self.spec.get("backoffLimit", 0)
        self.submitters = {pod.name for pod in self.submitter_of.pods}
        self.cluster = KeptUp(self.cluster_of.pods)
        self.submitter = JobController(self.submitter_of.body, self.submitter_of.pods)
        self.has_submitted = False
        self.is_retrying = False
        self.is_over = False
        self.began = 0.0

    def start(self, now: float) -> list[Action]:
        """The cluster."""
        self.began = now
        return self.cluster.start(now)

    def pod_ready(self, pod: str, now: float) -> list[Action]:
        """The last pod of the cluster that is ready lets the submitter start."""
        if pod in self.submitters:
            return self.submitter.pod_ready(pod, now)
        self.cluster.pod_ready(pod, now)
        if self.has_submitted or self.is_retrying or self.is_over or not self.cluster.is_up:
            return []
        self.has_submitted = True
        return self.submitter.start(now)

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:
        """Only the submitter's restarts count."""
        return self._hear(self.submitter.pod_restarted(pod, restarts, now)) if pod in self.submitters else []

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """A pod of the cluster is made anew; the submitter's end is the job's, or the next cluster's beginning."""
        is_submitter = end.pod.name in self.submitters
        actions = (self.submitter if is_submitter else self.cluster).pod_ended(end, now)
        if self.is_retrying:
            return self._retry_once_gone(now)
        if self.is_over:
            return []
        return self._hear(actions) if is_submitter else actions

    def answered(self, code: int, now: float) -> list[Action]:  # noqa: ARG002
        """How Ray itself says that the job ended: the submitter, who follows its log, leaves with 0 in any case."""
        if self.is_over or self.is_retrying:
            return []
        if code == 0:
            return self._finish(True, "SUCCEEDED", "as Ray says of the job")
        return self._fail(STATUS_OF.get(code, "Ray does not say how the job ended"))

    def time_passed(self, now: float) -> list[Action]:
        """`activeDeadlineSeconds`, after which there is no retry."""
        deadline = self.spec.get("activeDeadlineSeconds")
        if deadline is None or self.is_over or now - self.began < deadline:
            return self._hear(self.submitter.time_passed(now)) if self.has_submitted else []
        return self._finish(False, "DeadlineExceeded", f"active for {deadline} s, activeDeadlineSeconds")

    def _hear(self, actions: list[Action]) -> list[Action]:
        end = finish_of(actions)
        if end is None or self.is_over or self.is_retrying:
            return without_finish(actions)
        if end.succeeded:
            return [*without_finish(actions), Ask(self.head, ASK_FOR_STATUS)]
        return [*without_finish(actions), *self._fail(f"submitter: {end.reason}. {end.text}".strip(". "))]

    def _fail(self, why: str) -> list[Action]:
        """The next cluster, or the end."""
        if self.retries_left <= 0:
            return self._finish(False, "AppFailed", why)
        self.retries_left -= 1
        self.is_retrying = True
        leaving = [*self.cluster.roster.delete_all(), *self.submitter.roster.delete_all()]
        return [Note(f"the job failed: a new cluster, {self.retries_left} more after it"), *leaving]

    def _retry_once_gone(self, now: float) -> list[Action]:
        if self.cluster.roster.alive or self.submitter.roster.alive:
            return []
        lives = self.cluster.roster.lives, self.submitter.roster.lives
        self.cluster = KeptUp(self.cluster_of.pods)
        self.submitter = JobController(self.submitter_of.body, self.submitter_of.pods)
        self.cluster.roster.lives, self.submitter.roster.lives = lives
        self.has_submitted = self.is_retrying = False
        return self.cluster.start(now)

    def _finish(self, succeeded: bool, reason: str, text: str) -> list[Action]:
        self.is_over = True
        leaving: list[Action] = [*self.cluster.roster.delete_all(), *self.submitter.roster.delete_all()]
        if not (self.spec.get("shutdownAfterJobFinishes") or self.spec.get("deletionStrategy")) and leaving:
            leaving = [
                Note("the cluster runs on and holds what it has: shutdownAfterJobFinishes is not true")
            ]
        return [*leaving, Finish(succeeded, reason, text, pod="" if succeeded else min(self.submitters))]


def _only(rayjob: Owned, kind: str, why: str) -> Owned:
    """The one that it makes of a kind. Raises SelectionError: only clusters and submitters of its own can be played."""
    made = rayjob.of_kind(kind)
    if len(made) != 1:
        raise SelectionError(f"{rayjob.name} makes no {kind}", why)
    return made[0]
