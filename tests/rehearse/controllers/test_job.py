"""Job, by the rules of Kubernetes' Job controller."""

from typing import Any

import pytest
from rehearse.controllers.stories import Making, check_story, workload

DISRUPTION = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


def job(pods: int = 1, restart: str = "Never", **spec: Any) -> Making:
    template = {"spec": {"restartPolicy": restart}}
    return workload("batch/v1", "Job", {"template": template, **spec}).add_pods("train", pods)


def indexed(pods: int, **spec: Any) -> Making:
    return job(pods, **{"completionMode": "Indexed", "completions": pods, "parallelism": pods, **spec})


def on_codes(action: str, operator: str, *values: int, container: str | None = None) -> dict[str, Any]:
    codes: dict[str, Any] = {"operator": operator, "values": list(values)}
    return {"action": action, "onExitCodes": codes | ({"containerName": container} if container else {})}


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"podFailurePolicy": {"rules": list(rules)}, "podReplacementPolicy": "Failed"}


STORIES = {
    "a Job is over when its pod has succeeded": (
        job(),
        """
        start -> run train-0
        train-0 succeeds -> succeeded: CompletionsReached
        """,
    ),
    "back-off doubles, and the seventh failure is one too many by default": (
        job(),
        """
        start -> run train-0
        train-0 fails 1 -> run train-0 again (2) after 10 s
        train-0 fails 1 -> run train-0 again (3) after 20 s
        train-0 fails 1 -> run train-0 again (4) after 40 s
        train-0 fails 1 -> run train-0 again (5) after 80 s
        train-0 fails 1 -> run train-0 again (6) after 160 s
        train-0 fails 1 -> run train-0 again (7) after 320 s
        train-0 fails 1 -> failed: BackoffLimitExceeded
        """,
    ),
    "backoffLimit 0 ends at the first failure": (
        job(backoffLimit=0),
        """
        start -> run train-0
        train-0 fails 1 -> failed: BackoffLimitExceeded
        """,
    ),
    "a disruption that is ignored counts nothing, but waits like a failure": (
        job(backoffLimit=0, **policy(DISRUPTION)),
        """
        start -> run train-0
        train-0 disrupted -> note, run train-0 again (2) after 10 s
        train-0 disrupted -> note, run train-0 again (3) after 20 s
        train-0 fails 1 -> failed: BackoffLimitExceeded
        """,
    ),
    "restarts in place reach backoffLimit, they need not exceed it": (
        job(2, "OnFailure", backoffLimit=2, completions=2, parallelism=2),
        """
        start -> run train-0, run train-1
        train-0 restarts 1
        train-1 restarts 1 -> delete train-0, delete train-1, failed: BackoffLimitExceeded
        """,
    ),
    "one restart in place is too many for backoffLimit 0": (
        job(1, "OnFailure", backoffLimit=0),
        """
        start -> run train-0
        train-0 restarts 1 -> delete train-0, failed: BackoffLimitExceeded
        """,
    ),
    "restarts in place do not count where the kubelet never restarts": (
        job(1, "Never", backoffLimit=0),
        """
        start -> run train-0
        train-0 restarts 1
        """,
    ),
    "FailJob takes the other pods with it": (
        indexed(2, **policy(on_codes("FailJob", "In", 42))),
        """
        start -> run train-0, run train-1
        train-1 fails 42 -> note, delete train-0, failed: PodFailurePolicy
        """,
    ),
    "NotIn never means exit code 0 of a sidecar, and the first rule wins": (
        job(backoffLimit=0, **policy(on_codes("Ignore", "In", 143), on_codes("FailJob", "NotIn", 1))),
        """
        start -> run train-0
        train-0 fails 143 -> note, run train-0 again (2) after 10 s
        train-0 fails 2 -> note, failed: PodFailurePolicy
        """,
    ),
    "a rule for another container does not match": (
        job(backoffLimit=1, **policy(on_codes("FailJob", "In", 42, container="sidecar"))),
        """
        start -> run train-0
        train-0 fails 42 -> run train-0 again (2) after 10 s
        """,
    ),
    "an index has its own back-off, and fails alone": (
        indexed(2, backoffLimitPerIndex=1),
        """
        start -> run train-0, run train-1
        train-0 fails 1 -> run train-0 again (2) after 10 s
        train-0 fails 1
        train-1 fails 1 -> run train-1 again (2) after 10 s
        train-1 succeeds -> failed: FailedIndexes
        """,
    ),
    "one failed index more than maxFailedIndexes ends all": (
        indexed(3, backoffLimitPerIndex=0, maxFailedIndexes=1),
        """
        start -> run train-0, run train-1, run train-2
        train-0 fails 1
        train-1 fails 1 -> delete train-2, failed: MaxFailedIndexesExceeded
        """,
    ),
    "FailIndex does not wait for the back-off of its index": (
        indexed(2, backoffLimitPerIndex=5, **policy(on_codes("FailIndex", "In", 7))),
        """
        start -> run train-0, run train-1
        train-0 fails 7 -> note
        train-1 succeeds -> failed: FailedIndexes
        """,
    ),
    "an Indexed Job runs each index once, as many at once as parallelism allows": (
        indexed(3, parallelism=2),
        """
        start -> run train-0, run train-1
        train-1 succeeds -> run train-2
        train-0 succeeds
        train-2 succeeds -> succeeded: CompletionsReached
        """,
    ),
    "successPolicy ends the Job when the named indexes have succeeded": (
        indexed(3, successPolicy={"rules": [{"succeededIndexes": "0,2"}]}),
        """
        start -> run train-0, run train-1, run train-2
        train-1 succeeds
        train-0 succeeds
        train-2 succeeds -> succeeded: SuccessPolicy
        """,
    ),
    "succeededCount counts within the named indexes": (
        indexed(3, successPolicy={"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]}),
        """
        start -> run train-0, run train-1, run train-2
        train-2 succeeds
        train-1 succeeds -> delete train-0, succeeded: SuccessPolicy
        """,
    ),
    "a deadline ends what runs": (
        job(activeDeadlineSeconds=60),
        """
        start -> run train-0
        59 s pass
        1 s pass -> delete train-0, failed: DeadlineExceeded
        """,
    ),
    "without completions the first success is the last pod that starts": (
        job(2, parallelism=2),
        """
        start -> run train-0, run train-1
        train-0 succeeds
        train-1 succeeds -> succeeded: CompletionsReached
        """,
    ),
    "a success ends the row of failures that back-off counts": (
        job(2, completions=4, parallelism=1),
        """
        start -> run train-0
        train-0 fails 1 -> run train-1 after 10 s
        train-1 succeeds -> run train-0 again (2)
        """,
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_job_goes_as_kubernetes_has_it(name: str) -> None:
    check_story(*STORIES[name])


def test_a_cronjob_is_its_first_firing() -> None:
    making = workload("batch/v1", "CronJob", {"schedule": "0 3 * * *"})
    place = making.add("Job", {"template": {"spec": {"restartPolicy": "Never"}}, "backoffLimit": 0}, "it-1")
    making.add_pods("train", 1, owner=place)
    check_story(making, "start -> run train-0\ntrain-0 succeeds -> succeeded: CompletionsReached")
