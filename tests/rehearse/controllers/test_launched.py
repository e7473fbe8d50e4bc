"""Kinds in which one part launches the others: MPIJob v2beta1 and RayJob; and kinds that never end."""

from typing import Any

import pytest
from rehearse.controllers.stories import Making, check_story, workload

from trainshed.model.selection import SelectionError

LAUNCHER = {"template": {"spec": {"restartPolicy": "Never"}}, "backoffLimit": 1}


def mpijob(clean: str = "Running", **spec: Any) -> Making:
    making = workload("kubeflow.org/v2beta1", "MPIJob", {"runPolicy": {"cleanPodPolicy": clean}, **spec})
    place = making.add("Job", LAUNCHER, "it-launcher", "Launcher")
    return making.add_pods("Worker", 2).add_pods("launcher", 1, owner=place)


def rayjob(**spec: Any) -> Making:
    making = workload("ray.io/v1", "RayJob", {"shutdownAfterJobFinishes": True, **spec})
    cluster = making.add("RayCluster", {}, "it-cluster", api="ray.io/v1")
    submitter = making.add("Job", {**LAUNCHER, "backoffLimit": 0}, "it")
    return (
        making.add_pods("head", 1, owner=cluster)
        .add_pods("workers", 1, owner=cluster)
        .add_pods("submitter", 1, owner=submitter)
    )


STORIES = {
    "an MPIJob's launcher decides, and its workers are cleaned up": (
        mpijob(),
        """
        start -> run worker-0, run worker-1, run launcher-0
        launcher-0 succeeds -> delete worker-0, delete worker-1, succeeded: MPIJobSucceeded
        """,
    ),
    "an MPIJob's launcher is tried again as its Job says": (
        mpijob(),
        """
        start -> run worker-0, run worker-1, run launcher-0
        launcher-0 fails 1 -> run launcher-0 again (2) after 10 s
        launcher-0 fails 1 -> delete worker-0, delete worker-1, failed: MPIJobFailed
        """,
    ),
    "an MPIJob's launcher may wait for its workers": (
        mpijob(launcherCreationPolicy="WaitForWorkersReady"),
        """
        start -> run worker-0, run worker-1
        worker-1 runs
        worker-0 runs -> run launcher-0
        """,
    ),
    "an MPIJob's failed worker stays failed, one that was disrupted comes back": (
        mpijob(),
        """
        start -> run worker-0, run worker-1, run launcher-0
        worker-0 fails 137 -> note
        worker-1 disrupted -> run worker-1 again (2)
        """,
    ),
    "an MPIJob with cleanPodPolicy None keeps its workers": (
        mpijob("None"),
        """
        start -> run worker-0, run worker-1, run launcher-0
        launcher-0 succeeds -> note, succeeded: MPIJobSucceeded
        """,
    ),
    "a RayJob submits once the whole cluster runs": (
        rayjob(),
        """
        start -> run head-0, run workers-0
        head-0 runs
        workers-0 runs -> run submitter-0
        submitter-0 succeeds -> ask head-0
        head-0 answers 0 -> delete head-0, delete workers-0, succeeded: SUCCEEDED
        """,
    ),
    "a Ray worker that is lost is made anew": (
        rayjob(),
        """
        start -> run head-0, run workers-0
        workers-0 disrupted -> run workers-0 again (2)
        """,
    ),
    "each retry of a RayJob is a new cluster": (
        rayjob(backoffLimit=1),
        """
        start -> run head-0, run workers-0
        head-0 runs
        workers-0 runs -> run submitter-0
        submitter-0 fails 1 -> note, delete head-0, delete workers-0, run head-0 again (2), run workers-0 again (2)
        head-0 runs
        workers-0 runs -> run submitter-0 again (2)
        submitter-0 fails 1 -> delete head-0, delete workers-0, failed: AppFailed
        """,
    ),
    "a submitter that leaves with 0 does not make a failed job succeed": (
        rayjob(backoffLimit=1),
        """
        start -> run head-0, run workers-0
        head-0 runs
        workers-0 runs -> run submitter-0
        submitter-0 succeeds -> ask head-0
        head-0 answers 3 -> note, delete head-0, delete workers-0, run head-0 again (2), run workers-0 again (2)
        head-0 runs
        workers-0 runs -> run submitter-0 again (2)
        submitter-0 succeeds -> ask head-0
        head-0 answers 3 -> delete head-0, delete workers-0, failed: AppFailed
        """,
    ),
    "a RayJob that is too slow is not tried again": (
        rayjob(backoffLimit=3, activeDeadlineSeconds=60),
        """
        start -> run head-0, run workers-0
        60 s pass -> delete head-0, delete workers-0, failed: DeadlineExceeded
        """,
    ),
    "a RayJob that does not shut down says that its cluster stays": (
        rayjob(shutdownAfterJobFinishes=False),
        """
        start -> run head-0, run workers-0
        head-0 runs
        workers-0 runs -> run submitter-0
        submitter-0 succeeds -> ask head-0
        head-0 answers 0 -> note, succeeded: SUCCEEDED
        """,
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_a_launched_job_goes_as_its_operator_has_it(name: str) -> None:
    check_story(*STORIES[name])


def test_a_rayjob_that_nobody_submits_is_said() -> None:
    making = workload("ray.io/v1", "RayJob", {"submissionMode": "HTTPMode"})
    making.add("RayCluster", {}, "it-cluster", api="ray.io/v1")
    with pytest.raises(SelectionError, match="nobody submits in submissionMode HTTPMode"):
        making.control()


def test_a_cluster_is_kept_up_for_ever() -> None:
    making = workload("ray.io/v1", "RayCluster", {}).add_pods("head", 1)
    check_story(making, "start -> run head-0\nhead-0 succeeds -> run head-0 again (2)")
    assert making.control().lasts


def test_a_statefulset_starts_one_pod_after_the_other() -> None:
    making = workload("apps/v1", "StatefulSet", {}).add_pods("web", 2)
    check_story(making, "start -> run web-0\nweb-0 runs -> run web-1\nweb-0 fails 1 -> run web-0 again (2)")
