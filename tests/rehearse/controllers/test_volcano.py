"""Volcano's Job, by its rules; its webhook makes maxRetry 3."""

from typing import Any

import pytest
from rehearse.controllers.stories import Making, check_story, workload


def volcano(
    tasks: dict[str, int], per_task: dict[str, list[dict[str, Any]]] | None = None, **spec: Any
) -> Making:
    listed = [
        {"name": name, "replicas": count, "policies": (per_task or {}).get(name, [])}
        for name, count in tasks.items()
    ]
    making = workload("batch.volcano.sh/v1alpha1", "Job", {"tasks": listed, **spec})
    for name, count in tasks.items():
        making.add_pods(name, count)
    return making


RESTART = [{"event": "PodFailed", "action": "RestartJob"}]

STORIES = {
    "all pods over, as many succeeded as minAvailable asks": (
        volcano({"worker": 2}, minAvailable=1),
        """
        start -> run worker-0, run worker-1
        worker-0 fails 1
        worker-1 succeeds -> succeeded: Completed
        """,
    ),
    "too few succeeded": (
        volcano({"worker": 2}),
        """
        start -> run worker-0, run worker-1
        worker-0 fails 1
        worker-1 succeeds -> failed: Failed
        """,
    ),
    "RestartJob takes all pods, and maxRetry ends it": (
        volcano({"worker": 2}, policies=RESTART),
        """
        start -> run worker-0, run worker-1
        worker-0 fails 1 -> note, delete worker-1, run worker-0 again (2), run worker-1 again (2)
        worker-0 fails 1 -> note, delete worker-1, run worker-0 again (3), run worker-1 again (3)
        worker-0 fails 1 -> delete worker-1, failed: Failed
        """,
    ),
    "RestartTask takes its task": (
        volcano({"ps": 1, "worker": 1}, {"worker": [{"events": ["PodEvicted"], "action": "RestartTask"}]}),
        """
        start -> run ps-0, run worker-0
        worker-0 disrupted -> note, run worker-0 again (2)
        """,
    ),
    "an exit code is a policy of its own, and the task's comes first": (
        volcano({"worker": 1}, {"worker": [{"exitCode": 3, "action": "AbortJob"}]}, policies=RESTART),
        """
        start -> run worker-0
        worker-0 fails 3 -> failed: Aborted
        """,
    ),
    "TaskCompleted ends the job with its task": (
        volcano({"ps": 1, "worker": 2}, {"worker": [{"event": "TaskCompleted", "action": "CompleteJob"}]}),
        """
        start -> run ps-0, run worker-0, run worker-1
        worker-0 succeeds
        worker-1 succeeds -> delete ps-0, succeeded: Completed
        """,
    ),
    "minSuccess is enough": (
        volcano({"worker": 2}, minSuccess=1),
        """
        start -> run worker-0, run worker-1
        worker-0 succeeds -> delete worker-1, succeeded: Completed
        """,
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_job_goes_as_volcano_has_it(name: str) -> None:
    check_story(*STORIES[name])
