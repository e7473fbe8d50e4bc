"""JobSet and TrainJob, by their rules."""

from typing import Any

import pytest
from rehearse.controllers.stories import Making, check_story, workload

ONE_TRY = {"template": {"spec": {"restartPolicy": "Never"}}, "backoffLimit": 0, "completionMode": "Indexed"}
FAIL_POLICY = {
    **ONE_TRY,
    "podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]},
}


def fill(making: Making, roles: dict[str, int], owner: int = -1, job: dict[str, Any] = ONE_TRY) -> Making:
    for role, count in roles.items():
        spec = {**job, "completions": count, "parallelism": count}
        labels = {"jobset.sigs.k8s.io/replicatedjob-name": role}
        place = making.add("Job", spec, f"it-{role}-0", role, owner, labels=labels)
        making.add_pods(role, count, owner=place)
    return making


def jobset(
    roles: dict[str, int],
    job: dict[str, Any] = ONE_TRY,
    entries: dict[str, dict[str, Any]] | None = None,
    **spec: Any,
) -> Making:
    replicated = [{"name": role, "replicas": 1, **(entries or {}).get(role, {})} for role in roles]
    return fill(
        workload("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": replicated, **spec}), roles, job=job
    )


STORIES = {
    "all Jobs have to complete": (
        jobset({"driver": 1, "node": 1}),
        """
        start -> run driver-0, run node-0
        node-0 succeeds
        driver-0 succeeds -> succeeded: AllJobsCompleted
        """,
    ),
    "successPolicy asks its targets only": (
        jobset(
            {"driver": 1, "node": 1}, successPolicy={"operator": "All", "targetReplicatedJobs": ["driver"]}
        ),
        """
        start -> run driver-0, run node-0
        driver-0 succeeds -> delete node-0, succeeded: AllJobsCompleted
        """,
    ),
    "successPolicy Any takes the first": (
        jobset({"a": 1, "b": 1}, successPolicy={"operator": "Any"}),
        """
        start -> run a-0, run b-0
        b-0 succeeds -> delete a-0, succeeded: AllJobsCompleted
        """,
    ),
    "without failurePolicy a failed Job is the end": (
        jobset({"node": 2}),
        """
        start -> run node-0, run node-1
        node-1 fails 1 -> delete node-0, failed: FailedJobs
        """,
    ),
    "a restart takes all Jobs, and maxRestarts is how many there are": (
        jobset(
            {"driver": 1, "node": 1}, failurePolicy={"maxRestarts": 1, "restartStrategy": "BlockingRecreate"}
        ),
        """
        start -> run driver-0, run node-0
        node-0 fails 1 -> note, delete driver-0, run driver-0 again (2), run node-0 again (2)
        driver-0 fails 1 -> delete node-0, failed: ReachedMaxRestarts
        """,
    ),
    "Recreate lets each Job come back by itself": (
        jobset({"driver": 1, "node": 1}, failurePolicy={"maxRestarts": 1, "restartStrategy": "Recreate"}),
        """
        start -> run driver-0, run node-0
        node-0 fails 1 -> note, delete driver-0, run node-0 again (2), run driver-0 again (2)
        """,
    ),
    "a Job that was complete is restarted with the others": (
        jobset({"driver": 1, "node": 1}, failurePolicy={"maxRestarts": 1}),
        """
        start -> run driver-0, run node-0
        driver-0 succeeds
        node-0 fails 1 -> note, run driver-0 again (2), run node-0 again (2)
        """,
    ),
    "a rule by reason fails the JobSet at once": (
        jobset(
            {"node": 1},
            FAIL_POLICY,
            failurePolicy={
                "maxRestarts": 3,
                "rules": [
                    {"name": "fatal", "action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}
                ],
            },
        ),
        """
        start -> run node-0
        node-0 fails 1 -> note, run node-0 again (2)
        node-0 fails 42 -> note, failed: FailJobSetFailurePolicyAction
        """,
    ),
    "restarts that are not counted have no end": (
        jobset(
            {"node": 1},
            failurePolicy={
                "maxRestarts": 0,
                "rules": [
                    {
                        "name": "host",
                        "action": "RestartJobSetAndIgnoreMaxRestarts",
                        "targetReplicatedJobs": ["node"],
                    }
                ],
            },
        ),
        """
        start -> run node-0
        node-0 fails 1 -> note, run node-0 again (2)
        node-0 fails 1 -> note, run node-0 again (3)
        """,
    ),
    "RestartJob leaves the others alone": (
        jobset(
            {"driver": 1, "node": 1},
            failurePolicy={"maxRestarts": 2, "rules": [{"name": "one", "action": "RestartJob"}]},
        ),
        """
        start -> run driver-0, run node-0
        node-0 fails 1 -> note, run node-0 again (2)
        """,
    ),
    "dependsOn Ready waits until the pods run": (
        jobset(
            {"driver": 1, "node": 1}, entries={"node": {"dependsOn": [{"name": "driver", "status": "Ready"}]}}
        ),
        """
        start -> run driver-0
        driver-0 runs -> run node-0
        """,
    ),
    "dependsOn Complete waits until the Job has completed": (
        jobset(
            {"data": 1, "node": 1}, entries={"node": {"dependsOn": [{"name": "data", "status": "Complete"}]}}
        ),
        """
        start -> run data-0
        data-0 runs
        data-0 succeeds -> run node-0
        node-0 succeeds -> succeeded: AllJobsCompleted
        """,
    ),
    "startupPolicy InOrder starts one after the other": (
        jobset({"a": 1, "b": 1, "c": 1}, startupPolicy={"startupPolicyOrder": "InOrder"}),
        """
        start -> run a-0
        a-0 runs -> run b-0
        b-0 runs -> run c-0
        """,
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_jobset_goes_as_jobset_has_it(name: str) -> None:
    check_story(*STORIES[name])


def trainjob(**spec: Any) -> Making:
    making = workload("trainer.kubeflow.org/v1alpha1", "TrainJob", spec)
    replicated = {"replicatedJobs": [{"name": "node", "replicas": 1}]}
    place = making.add("JobSet", replicated, "it", api="jobset.x-k8s.io/v1alpha2")
    return fill(making, {"node": 2}, owner=place)


TRAINJOBS = {
    "a TrainJob is its JobSet": (
        trainjob(),
        """
        start -> run node-0, run node-1
        node-0 succeeds
        node-1 succeeds -> succeeded: AllJobsCompleted
        """,
    ),
    "a TrainJob has a deadline of its own": (
        trainjob(activeDeadlineSeconds=30),
        """
        start -> run node-0, run node-1
        30 s pass -> failed: DeadlineExceeded
        """,
    ),
}


@pytest.mark.parametrize("name", TRAINJOBS)
def test_a_trainjob_goes_as_its_jobset(name: str) -> None:
    check_story(*TRAINJOBS[name])
