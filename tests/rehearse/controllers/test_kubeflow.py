"""The kinds of the Training Operator, by its rules."""

from typing import Any

import pytest
from rehearse.controllers.stories import Making, check_story, workload


def kubeflow(
    kind: str,
    replicas: str,
    container: str,
    roles: dict[str, int],
    restart: str | None = "OnFailure",
    run_policy: dict[str, Any] | None = None,
    **spec: Any,
) -> Making:
    specs = {
        role: {"replicas": count, **({"restartPolicy": restart} if restart else {})}
        for role, count in roles.items()
    }
    clean = {"cleanPodPolicy": "Running", **(run_policy or {})}
    making = workload("kubeflow.org/v1", kind, {replicas: specs, "runPolicy": clean, **spec})
    for role, count in roles.items():
        making.add_pods(role, count, container=container)
    return making


def pytorch(
    master: int = 1,
    workers: int = 1,
    restart: str | None = "OnFailure",
    run_policy: dict[str, Any] | None = None,
    **spec: Any,
) -> Making:
    roles = {**({"Master": master} if master else {}), "Worker": workers}
    return kubeflow("PyTorchJob", "pytorchReplicaSpecs", "pytorch", roles, restart, run_policy, **spec)


def tensorflow(roles: dict[str, int], restart: str = "Never", **spec: Any) -> Making:
    return kubeflow("TFJob", "tfReplicaSpecs", "tensorflow", roles, restart, None, **spec)


STORIES = {
    "the master's success is the job's": (
        pytorch(),
        """
        start -> run master-0, run worker-0
        master-0 succeeds -> delete worker-0, succeeded: PyTorchJobSucceeded
        """,
    ),
    "a worker's success is nobody else's": (
        pytorch(),
        """
        start -> run master-0, run worker-0
        worker-0 succeeds
        master-0 succeeds -> succeeded: PyTorchJobSucceeded
        """,
    ),
    "cleanPodPolicy None leaves the workers running, and it is said": (
        pytorch(run_policy={"cleanPodPolicy": "None"}),
        """
        start -> run master-0, run worker-0
        master-0 succeeds -> note, succeeded: PyTorchJobSucceeded
        """,
    ),
    "Never ends the job with the first pod that fails": (
        pytorch(restart="Never"),
        """
        start -> run master-0, run worker-0
        worker-0 fails 1 -> delete master-0, failed: PyTorchJobFailed
        """,
    ),
    "a pod that failed under OnFailure, its node lost, is made anew": (
        pytorch(),
        """
        start -> run master-0, run worker-0
        worker-0 disrupted -> run worker-0 again (2)
        """,
    ),
    "ExitCode tries codes from 128 on again": (
        pytorch(restart="ExitCode"),
        """
        start -> run master-0, run worker-0
        worker-0 fails 137 -> run worker-0 again (2)
        worker-0 fails 127 -> delete master-0, failed: PyTorchJobFailed
        """,
    ),
    "backoffLimit 0 ends the job with the first failed pod, though it could be tried again": (
        pytorch(restart="ExitCode", run_policy={"backoffLimit": 0}),
        """
        start -> run master-0, run worker-0
        worker-0 fails 137 -> delete master-0, failed: PyTorchJobFailed
        """,
    ),
    "backoffLimit is reached by restarts summed over running pods": (
        pytorch(run_policy={"backoffLimit": 3}),
        """
        start -> run master-0, run worker-0
        worker-0 restarts 2
        master-0 restarts 1 -> delete master-0, delete worker-0, failed: PyTorchJobFailed
        """,
    ),
    "a pod that is made anew takes its restarts out of the sum": (
        pytorch(restart="ExitCode", run_policy={"backoffLimit": 2}),
        """
        start -> run master-0, run worker-0
        worker-0 restarts 1
        worker-0 fails 137 -> run worker-0 again (2)
        worker-0 restarts 1
        """,
    ),
    "without a master all workers have to succeed": (
        pytorch(master=0, workers=2),
        """
        start -> run worker-0, run worker-1
        worker-1 succeeds
        worker-0 succeeds -> succeeded: PyTorchJobSucceeded
        """,
    ),
    "of an elastic job any worker's success is enough": (
        pytorch(master=0, workers=2, elasticPolicy={"minReplicas": 1}),
        """
        start -> run worker-0, run worker-1
        worker-1 succeeds -> delete worker-0, succeeded: PyTorchJobSucceeded
        """,
    ),
    "a deadline is noticed at the next event only": (
        pytorch(run_policy={"activeDeadlineSeconds": 60}),
        """
        start -> run master-0, run worker-0
        61 s pass -> note
        10 s pass
        worker-0 restarts 1 -> delete master-0, delete worker-0, failed: PyTorchJobFailed
        """,
    ),
    "a TFJob is over with its first worker": (
        tensorflow({"Worker": 2, "PS": 1}),
        """
        start -> run worker-0, run worker-1, run ps-0
        worker-1 succeeds
        worker-0 succeeds -> delete ps-0, succeeded: TFJobSucceeded
        """,
    ),
    "a TFJob with AllWorkers waits for all": (
        tensorflow({"Worker": 2}, successPolicy="AllWorkers"),
        """
        start -> run worker-0, run worker-1
        worker-0 succeeds
        worker-1 succeeds -> succeeded: TFJobSucceeded
        """,
    ),
    "a TFJob with a chief asks the chief": (
        tensorflow({"Chief": 1, "Worker": 1}),
        """
        start -> run chief-0, run worker-0
        worker-0 succeeds
        chief-0 succeeds -> succeeded: TFJobSucceeded
        """,
    ),
    "enableDynamicWorker goes on without a worker": (
        tensorflow({"Chief": 1, "Worker": 1}, enableDynamicWorker=True),
        """
        start -> run chief-0, run worker-0
        worker-0 fails 1 -> note
        chief-0 fails 1 -> failed: TFJobFailed
        """,
    ),
    "XGBoostJob never restarts by default": (
        kubeflow("XGBoostJob", "xgbReplicaSpecs", "xgboost", {"Master": 1, "Worker": 1}, None),
        """
        start -> run master-0, run worker-0
        worker-0 fails 137 -> delete master-0, failed: XGBoostJobFailed
        """,
    ),
    "PaddleJob restarts by default": (
        kubeflow("PaddleJob", "paddleReplicaSpecs", "paddle", {"Master": 1, "Worker": 1}, None),
        """
        start -> run master-0, run worker-0
        worker-0 fails 137 -> run worker-0 again (2)
        """,
    ),
    "a JAXJob is over when all its workers are": (
        kubeflow("JAXJob", "jaxReplicaSpecs", "jax", {"Worker": 2}, "Never"),
        """
        start -> run worker-0, run worker-1
        worker-0 succeeds
        worker-1 succeeds -> succeeded: JAXJobSucceeded
        """,
    ),
    "an MPIJob of the Training Operator is its launcher": (
        kubeflow("MPIJob", "mpiReplicaSpecs", "mpi", {"Launcher": 1, "Worker": 1}, "Never"),
        """
        start -> run launcher-0, run worker-0
        launcher-0 succeeds -> delete worker-0, succeeded: MPIJobSucceeded
        """,
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_job_goes_as_the_training_operator_has_it(name: str) -> None:
    check_story(*STORIES[name])
