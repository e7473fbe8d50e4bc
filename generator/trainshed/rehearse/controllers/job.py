"""Job: completions, back-off and its policies, as the Job controller of Kubernetes decides.

Source: Kubernetes 1.36.3, pkg/controller/job/job_controller.go (syncJob, manageJob, pastBackoffLimitOnFailure),
backoff_utils.go, success_policy.go.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from trainshed.model.manifest import JsonObject
from trainshed.model.rehearsal import PodEnd, PodToRun
from trainshed.rehearse.controllers.actions import Action, Controller, Finish, Note
from trainshed.rehearse.controllers.indexes import parse_indexes
from trainshed.rehearse.controllers.pod_failure import COUNT, FAIL_INDEX, FAIL_JOB, IGNORE, match_failure
from trainshed.rehearse.controllers.roster import Roster

FIRST_BACK_OFF_SECONDS = 10.0
LONGEST_BACK_OFF_SECONDS = 600.0
DEFAULT_BACK_OFF_LIMIT = 6
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"


class JobController(Controller):
    """A Job, Indexed or not. `pods` holds each pod that it may make once: of an index, or one after the other."""

    def __init__(self, job: JsonObject, pods: Sequence[PodToRun]) -> None:
        spec = job["spec"]
        self.spec = spec
        self.is_indexed = spec.get("completionMode") == "Indexed"
        has_either = "completions" in spec or "parallelism" in spec
        self.completions: int | None = spec.get("completions", None if has_either else 1)
        self.parallelism: int = spec.get("parallelism", 1)
        self.per_index: int | None = spec.get("backoffLimitPerIndex")
        unlimited = None if self.per_index is not None else DEFAULT_BACK_OFF_LIMIT
        self.back_off_limit: int | None = spec.get("backoffLimit", unlimited)
        self.restarts_in_place = spec["template"]["spec"].get("restartPolicy") == "OnFailure"
        self.pods = {_slot_of(pod, place, self.is_indexed): pod for place, pod in enumerate(pods)}
        self.roster = Roster()
        self.slots: dict[str, int] = {pod.name: slot for slot, pod in self.pods.items()}
        self.succeeded: set[int] = set()
        self.num_succeeded = 0
        self.num_failed = 0
        self.failures: Counter[int] = Counter()
        self.failed_indexes: set[int] = set()
        self.in_a_row: Counter[int] = Counter()
        self.began = 0.0
        self.end: Finish | None = None
        self.is_over = False

    def start(self, now: float) -> list[Action]:
        """The first pods. `suspend` is what a queue lifts, and so is not looked at."""
        self.began = now
        return self._sync(now)

    def pod_ready(self, pod: str, now: float) -> list[Action]:  # noqa: ARG002
        """Counts for those who wait until the Job is ready."""
        self.roster.mark_ready(pod)
        return []

    def pod_restarted(self, pod: str, restarts: int, now: float) -> list[Action]:
        """Restarts in place count against `backoffLimit`."""
        self.roster.mark_restarted(pod, restarts)
        return self._sync(now)

    def pod_ended(self, end: PodEnd, now: float) -> list[Action]:
        """Count it, judge the Job, replace what is missing."""
        if end.pod.name not in self.slots:
            return []
        self.roster.end(end)
        said = [] if self.end else list(self._count(end))
        return [*said, *self._sync(now)]

    def time_passed(self, now: float) -> list[Action]:
        """`activeDeadlineSeconds`."""
        return self._sync(now)

    @property
    def is_ready(self) -> bool:
        """Whether as many pods as may run at once are running or have succeeded."""
        wanted = min(self.parallelism, len(self.pods))
        return len(self.roster.ready) + self.num_succeeded >= wanted

    def _count(self, end: PodEnd) -> Iterator[Action]:
        slot = self.slots[end.pod.name]
        lane = slot if self.per_index is not None else -1
        if end.succeeded:
            self.num_succeeded += 1
            self.succeeded.add(slot)
            self.in_a_row[lane] = 0
            return
        self.in_a_row[lane] += 1
        action, why = match_failure(self.spec.get("podFailurePolicy"), end)
        if why:
            yield Note(why)
        if action == IGNORE:
            return
        self.num_failed += 1
        self.failures[slot] += 1
        if action == FAIL_JOB:
            self.end = Finish(False, "PodFailurePolicy", why)
        elif action == FAIL_INDEX or (
            action == COUNT and self.per_index is not None and self.failures[slot] > self.per_index
        ):
            self.failed_indexes.add(slot)

    def _sync(self, now: float) -> list[Action]:
        if self.is_over:
            return []
        self.end = self.end or self._judge(now)
        if self.end is None:
            return list(self._start_missing())
        leaving: list[Action] = [*self.roster.delete_all()]
        if self.roster.alive:
            return leaving
        self.is_over = True
        return [self.end]

    def _judge(self, now: float) -> Finish | None:
        """In the order of syncJob: back-off, deadline, indexes, success policy, completions."""
        limit, deadline = self.back_off_limit, self.spec.get("activeDeadlineSeconds")
        if limit is not None and (self.num_failed > limit or self._is_past_restarts(limit)):
            text = f"{self.num_failed} failed pods and {self.roster.num_restarts} restarts, backoffLimit is {limit}"
            return Finish(False, "BackoffLimitExceeded", text)
        if deadline is not None and now - self.began >= deadline:
            return Finish(False, "DeadlineExceeded", f"active for {deadline} s, activeDeadlineSeconds")
        if self.per_index is not None and self.failed_indexes:
            failed, most = len(self.failed_indexes), self.spec.get("maxFailedIndexes")
            if most is not None and failed > most:
                return Finish(False, "MaxFailedIndexesExceeded", f"{failed} indexes failed, {most} may")
            if failed + len(self.succeeded) >= (self.completions or 0):
                return Finish(False, "FailedIndexes", f"{failed} of {self.completions} indexes failed")
        for rule in self.spec.get("successPolicy", {}).get("rules", ()):
            if self._is_met(rule):
                return Finish(True, "SuccessPolicy", "a rule of successPolicy is met")
        if self.completions is None:
            is_complete = self.num_succeeded > 0
        else:
            done = len(self.succeeded) if self.is_indexed else self.num_succeeded
            is_complete = done >= self.completions
        return Finish(True, "CompletionsReached") if is_complete and not self.roster.alive else None

    def _is_past_restarts(self, limit: int) -> bool:
        """Restarts of OnFailure count only in pods that are not over; the limit itself is already too many."""
        restarts = self.roster.num_restarts if self.restarts_in_place else 0
        return restarts > 0 and restarts >= limit

    def _is_met(self, rule: JsonObject) -> bool:
        if "succeededIndexes" not in rule:
            return len(self.succeeded) >= rule["succeededCount"]
        indexes = parse_indexes(rule["succeededIndexes"])
        return len(indexes & self.succeeded) >= rule.get("succeededCount", len(indexes))

    def _start_missing(self) -> Iterator[Action]:
        if self.completions is None:
            room = 0 if self.num_succeeded else self.parallelism - len(self.roster.alive)
        else:
            done = len(self.succeeded) if self.is_indexed else self.num_succeeded
            open_ones = self.completions - done - len(self.failed_indexes)
            room = min(self.parallelism, open_ones) - len(self.roster.alive)
        free = [slot for slot, pod in sorted(self.pods.items()) if pod.name not in self.roster.alive]
        if self.is_indexed:
            free = [slot for slot in free if slot not in self.succeeded | self.failed_indexes]
        else:
            free.sort(key=lambda slot: self.roster.lives.get(self.pods[slot].name, 0))
        for slot in free[: max(room, 0)]:
            lane = slot if self.per_index is not None else -1
            yield self.roster.run(self.pods[slot], _back_off(self.in_a_row[lane]))


def _slot_of(pod: PodToRun, place: int, is_indexed: bool) -> int:
    annotations = pod.body["metadata"].get("annotations", {})
    return int(annotations.get(COMPLETION_INDEX, place)) if is_indexed else place


def _back_off(failures_in_a_row: int) -> float:
    if not failures_in_a_row:
        return 0.0
    return min(FIRST_BACK_OFF_SECONDS * 2 ** min(failures_in_a_row - 1, 10), LONGEST_BACK_OFF_SECONDS)
