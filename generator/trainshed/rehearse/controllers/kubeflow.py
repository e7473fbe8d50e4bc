"""PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob and MPIJob v1, as the Training Operator decides.

Source: training-operator 1.9.4, pkg/controller.v1/common/{job,pod}.go, pkg/core/job.go (PastBackoffLimit) and each
UpdateJobStatus.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Action, Controller, Finish, Note
from trainshed.rehearse.controllers.roster import Roster

RETRYABLE_FROM = 128
"""`restartPolicy: ExitCode`: codes from here on are tried again, smaller ones end the job."""


@dataclass(frozen=True, slots=True)
class KubeflowKind:
    """What differs: where its replicas stand, the container that counts, the default policy, whose success is all's."""

    replicas: str
    container: str
    restart_policy: str
    leaders: tuple[str, ...] = ()


KINDS: Mapping[str, KubeflowKind] = {
    "PyTorchJob": KubeflowKind("pytorchReplicaSpecs", "pytorch", "OnFailure", ("Master",)),
    "TFJob": KubeflowKind("tfReplicaSpecs", "tensorflow", "Never", ("Chief", "Master")),
    "XGBoostJob": KubeflowKind("xgbReplicaSpecs", "xgboost", "Never", ("Master",)),
    "PaddleJob": KubeflowKind("paddleReplicaSpecs", "paddle", "OnFailure", ("Master",)),
    "JAXJob": KubeflowKind("jaxReplicaSpecs", "jax", "Never"),
    "MPIJob": KubeflowKind("mpiReplicaSpecs", "mpi", "Never", ("Launcher",)),
}


class KubeflowController(Controller):
    """All replicas at once; each that fails is handled by the `restartPolicy` of its role."""

    def __init__(self, job: JsonObject, pods: Sequence[PodToRun]) -> None:
        self.kind = job["kind"]
        self.traits = KINDS[self.kind]
        self.spec = job["spec"]
        self.run_policy = self.spec.get("runPolicy", {})
        self.replicas = self.spec[self.traits.replicas]
        self.roles = {name.lower(): name for name in self.replicas}
        self.leaders = [role for role in self.traits.leaders if role in self.replicas]
        self.pods = {pod.name: pod for pod in pods}
        self.roster = Roster()
        self.succeeded: Counter[str] = Counter()
        self.finished_names: set[str] = set()
        self.began = 0.0
        self.is_over = False
        self.has_told_deadline = False

    def start(self, now: float) -> list[Action]:
        """Every replica; `suspend` is what a queue lifts."""
        self.began = now
        return [*self.roster.run_all(self.pods.values())]

    def pod_ready(self, pod: str, now: float) -> list[Action]:
        """An event, at which the operator looks at the deadline."""
        self.roster.mark_ready(pod)
        return self._past_deadline(now)

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:
        """The sum of restarts over running pods is what `backoffLimit` limits; replicas with Never do not count."""
        self.roster.mark_restarted(pod, restarts)
        return self._past_restarts() or self._past_deadline(now)

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """Success of whoever decides, a failure that ends all, or the pod anew."""
        was_told = self.roster.end(end)
        if self.is_over or was_told:
            return []
        if end.succeeded:
            return self._succeed(end)
        return self._past_first_failure() or self._past_deadline(now) or list(self._replace(end))

    def time_passed(self, now: float) -> list[Action]:
        """The deadline by itself wakes nobody (kubeflow/trainer#3358): it counts at the next event."""
        deadline = self.run_policy.get("activeDeadlineSeconds")
        if deadline is None or self.is_over or self.has_told_deadline or now - self.began < deadline:
            return []
        self.has_told_deadline = True
        return [
            Note(f"activeDeadlineSeconds ({deadline} s) is over: the operator acts at its next event only")
        ]

    def _role_of(self, pod: PodToRun) -> str:
        return self.roles.get(pod.role.lower(), pod.role)

    def _policy_of(self, role: str) -> str:
        return self.replicas.get(role, {}).get("restartPolicy", self.traits.restart_policy)

    def _succeed(self, end: PodEnd) -> list[Action]:
        role = self._role_of(end.pod)
        self.succeeded[role] += 1
        self.finished_names.add(end.pod.name)
        return (
            self._finish(True, f"{self.kind}Succeeded", self._why_succeeded(end, role))
            if self._is_success(end, role)
            else []
        )

    def _is_success(self, end: PodEnd, role: str) -> bool:
        """Master, Chief or Launcher decides; else the workers: all, of an elastic job any, of a TFJob the first."""
        are_all = self.succeeded[role] >= self.replicas.get(role, {}).get("replicas", 1)
        if self.leaders:
            return role in self.leaders and are_all
        if role != "Worker":
            return False
        if self.kind == "TFJob" and self.spec.get("successPolicy", "") != "AllWorkers":
            return are_all or end.pod.index == 0
        return are_all or (self.kind == "PyTorchJob" and "elasticPolicy" in self.spec)

    def _why_succeeded(self, end: PodEnd, role: str) -> str:
        return f"{end.pod.name} succeeded" if role in self.leaders else f"{role}s succeeded"

    def _replace(self, end: PodEnd) -> Iterator[Action]:
        role = self._role_of(end.pod)
        policy = self._policy_of(role)
        code = end.exit_codes.get(self.traits.container, max(end.exit_codes.values(), default=RETRYABLE_FROM))
        if policy in ("OnFailure", "Always") or (policy == "ExitCode" and code >= RETRYABLE_FROM):
            yield self.roster.run(self.pods[end.pod.name])
        elif self.kind == "TFJob" and self.spec.get("enableDynamicWorker") and role == "Worker":
            yield Note(f"{end.pod.name} failed; enableDynamicWorker lets the others go on")
        else:
            text = f"{end.pod.name} failed with exit code {code}; its restartPolicy is {policy}"
            yield from self._finish(False, f"{self.kind}Failed", text)

    def _past_first_failure(self) -> list[Action]:
        """`backoffLimit: 0` is the only one that a failed pod exceeds: the operator's count of retries stays 0."""
        if self.run_policy.get("backoffLimit") != 0:
            return []
        return self._finish(False, f"{self.kind}Failed", "a pod failed, and backoffLimit is 0")

    def _past_restarts(self) -> list[Action]:
        limit = self.run_policy.get("backoffLimit")
        if limit is None or self.is_over:
            return []
        counted = sum(
            restarts
            for name, restarts in self.roster.restarts.items()
            if self._policy_of(self._role_of(self.pods[name])) != "Never"
        )
        if counted == 0 or counted < limit:
            return []
        return self._finish(
            False, f"{self.kind}Failed", f"{counted} restarts in running pods, backoffLimit is {limit}"
        )

    def _past_deadline(self, now: float) -> list[Action]:
        deadline = self.run_policy.get("activeDeadlineSeconds")
        if deadline is None or self.is_over or now - self.began < deadline:
            return []
        return self._finish(
            False, f"{self.kind}Failed", f"active for longer than {deadline} s, activeDeadlineSeconds"
        )

    def _finish(self, succeeded: bool, reason: str, text: str) -> list[Action]:
        """`cleanPodPolicy` None, the operator's default, leaves running pods as they are."""
        self.is_over = True
        policy = self.run_policy.get("cleanPodPolicy", "None")
        left = len(self.roster.alive)
        if policy == "None" and left:
            note = f"{left} pod(s) run on and hold what they have: cleanPodPolicy is None"
            return [Note(note), Finish(succeeded, reason, text)]
        return [*self.roster.delete_all(), Finish(succeeded, reason, text)]
