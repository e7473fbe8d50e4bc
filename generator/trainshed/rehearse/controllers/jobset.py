"""JobSet: its Jobs in their order, restarted together or one by one, as JobSet decides.

Source: jobset 0.12.0, pkg/controllers/{failure_policy,success_policy,depends_on,startup_policy}.go.
"""

import re
from dataclasses import dataclass

from trainshed.model.manifest import JsonObject
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

REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
RESTART_ALL = "RestartJobSet"
RESTART_ALL_FREELY = "RestartJobSetAndIgnoreMaxRestarts"
RESTART_ONE = "RestartJob"
RESTART_ONE_FREELY = "RestartJobAndIgnoreMaxRestarts"
FAIL = "FailJobSet"


@dataclass(slots=True)
class ChildJob:
    """A Job of the set in its present attempt, and the pods of it that are not over."""

    owned: Owned
    controller: JobController
    end: Finish | None = None
    has_started: bool = False
    is_leaving: bool = False

    @property
    def replicated(self) -> str:
        """The entry of `replicatedJobs` that it is one of."""
        return self.owned.body["metadata"].get("labels", {}).get(REPLICATED_JOB, self.owned.role)

    @property
    def pods(self) -> set[str]:
        """The names of its pods."""
        return {pod.name for pod in self.owned.pods}


class JobSetController(Controller):
    """Starts Jobs as `dependsOn` and `startupPolicy` allow, and answers failed ones with `failurePolicy`."""

    def __init__(self, jobset: Owned) -> None:
        self.spec: JsonObject = jobset.body["spec"]
        self.policy: JsonObject | None = self.spec.get("failurePolicy")
        self.jobs = [_first_attempt(job) for job in jobset.of_kind("Job")]
        self.restarts = 0
        self.is_over = False

    def start(self, now: float) -> list[Action]:
        """The Jobs that wait for none."""
        return self._start_due(now)

    def pod_ready(self, pod: str, now: float) -> list[Action]:
        """A Job may be ready by it, and another may start."""
        job = self._owner_of(pod)
        return [*job.controller.pod_ready(pod, now), *self._start_due(now)] if job else []

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:
        """The Job's own affair, unless it fails by it."""
        job = self._owner_of(pod)
        return self._hear(job, job.controller.pod_restarted(pod, restarts, now), now) if job else []

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """The Job's own affair, unless it ends by it; or the last pod before a restart."""
        job = self._owner_of(end.pod.name)
        if job is None:
            return []
        actions = job.controller.pod_ended(end, now)
        if job.is_leaving:
            return self._start_anew(job, now)
        return self._hear(job, actions, now)

    def time_passed(self, now: float) -> list[Action]:
        """Deadlines of Jobs."""
        due: list[Action] = []
        for job in self.jobs:
            if job.has_started and not job.is_leaving:
                due += self._hear(job, job.controller.time_passed(now), now)
        return due

    def _owner_of(self, pod: str) -> ChildJob | None:
        return next((job for job in self.jobs if pod in job.pods), None)

    def _hear(self, job: ChildJob, actions: list[Action], now: float) -> list[Action]:
        """What a Job does; its end is one of the set's matters."""
        end = finish_of(actions)
        said = without_finish(actions)
        if end is None or self.is_over:
            return said
        job.end = end
        answer = self._succeeded() if end.succeeded else self._failed(job, end)
        return [*said, *answer, *self._start_due(now)]

    def _succeeded(self) -> list[Action]:
        policy = self.spec.get("successPolicy", {})
        targets = policy.get("targetReplicatedJobs") or [each["name"] for each in self.spec["replicatedJobs"]]
        wanted = [job for job in self.jobs if job.replicated in targets]
        done = [job for job in wanted if job.end and job.end.succeeded]
        if len(done) < (1 if policy.get("operator", "All") == "Any" else len(wanted)):
            return []
        return self._finish(True, "AllJobsCompleted", f"{len(done)} job(s) of {', '.join(targets)} completed")

    def _failed(self, job: ChildJob, end: Finish) -> list[Action]:
        if self.policy is None:
            return self._finish(False, "FailedJobs", f"{job.owned.name} failed: {end.reason}")
        action = next(
            (rule["action"] for rule in self.policy.get("rules", ()) if _applies(rule, job, end)), RESTART_ALL
        )
        why = f"{job.owned.name} failed ({end.reason})"
        if action == FAIL:
            return self._finish(
                False, "FailJobSetFailurePolicyAction", f"{why}, and a rule of failurePolicy ends the JobSet"
            )
        if action in (RESTART_ALL, RESTART_ONE):
            most = self.policy.get("maxRestarts", 0)
            if self.restarts >= most:
                return self._finish(
                    False,
                    "ReachedMaxRestarts",
                    f"{why} after {self.restarts} restarts, maxRestarts is {most}",
                )
            self.restarts += 1
        leaving = [job] if action in (RESTART_ONE, RESTART_ONE_FREELY) else self.jobs
        return [Note(f"{why}: {action}, restart {self.restarts}"), *self._leave(leaving)]

    def _leave(self, jobs: list[ChildJob]) -> list[Action]:
        """Recreate and BlockingRecreate alike: the names of the Jobs are taken until the old ones are gone."""
        actions: list[Action] = []
        for job in jobs:
            job.is_leaving = job.has_started
            actions += job.controller.roster.delete_all()
        for job in [each for each in jobs if each.is_leaving and not each.controller.roster.alive]:
            self._renew(job)
        return actions

    def _start_anew(self, job: ChildJob, now: float) -> list[Action]:
        if job.controller.roster.alive:
            return []
        self._renew(job)
        blocks = self.policy is not None and self.policy.get("restartStrategy") == "BlockingRecreate"
        if self.is_over or (blocks and any(each.is_leaving for each in self.jobs)):
            return []
        return self._start_due(now)

    def _renew(self, job: ChildJob) -> None:
        lives = job.controller.roster.lives
        job.controller = JobController(job.owned.body, job.owned.pods)
        job.controller.roster.lives = lives
        job.end, job.has_started, job.is_leaving = None, False, False

    def _start_due(self, now: float) -> list[Action]:
        actions: list[Action] = []
        blocks = self.policy is not None and self.policy.get("restartStrategy") == "BlockingRecreate"
        if self.is_over or (blocks and any(each.is_leaving for each in self.jobs)):
            return actions
        for job in self.jobs:
            if not job.has_started and self._may_start(job.replicated):
                job.has_started = True
                actions += job.controller.start(now)
        return actions

    def _may_start(self, name: str) -> bool:
        """`dependsOn`; or, in `startupPolicy: InOrder`, that all that stand before it are ready."""
        names = [each["name"] for each in self.spec["replicatedJobs"]]
        entry = next((each for each in self.spec["replicatedJobs"] if each["name"] == name), {})
        waits = [(each["name"], each["status"]) for each in entry.get("dependsOn", ())]
        if self.spec.get("startupPolicy", {}).get("startupPolicyOrder") == "InOrder" and name in names:
            waits += [(earlier, "Ready") for earlier in names[: names.index(name)]]
        return all(
            _has_reached(job, status)
            for other, status in waits
            for job in self.jobs
            if job.replicated == other
        )

    def _finish(self, succeeded: bool, reason: str, text: str) -> list[Action]:
        self.is_over = True
        leaving = [action for job in self.jobs for action in job.controller.roster.delete_all()]
        return [*leaving, Finish(succeeded, reason, text)]


def _first_attempt(job: Owned) -> ChildJob:
    return ChildJob(job, JobController(job.body, job.pods))


def _has_reached(job: ChildJob, status: str) -> bool:
    """Ready counts Jobs that are over as well."""
    if status == "Complete":
        return job.end is not None and job.end.succeeded
    return job.end is not None or (job.has_started and job.controller.is_ready)


def _applies(rule: JsonObject, job: ChildJob, end: Finish) -> bool:
    reasons, targets = rule.get("onJobFailureReasons"), rule.get("targetReplicatedJobs")
    patterns = rule.get("onJobFailureMessagePatterns")
    return (
        (not reasons or end.reason in reasons)
        and (not targets or job.replicated in targets)
        and (not patterns or any(re.search(pattern, end.text) for pattern in patterns))
    )
