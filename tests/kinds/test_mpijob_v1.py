"""MPIJob v1, where the Training Operator is told to serve it: what it can still do, and the way out. Scenario C3."""

from pathlib import Path

from kinds.frameworks import (
    PRIVILEGED,
    V1_ONLY,
    container,
    judged,
    pod,
    project,
    rendered,
    replicas,
    said,
)

HOROVOD = "framework: horovod\nnodes: 4\nrestarts: 2\nrun: {script: train.py}\n"
FREE = f"{HOROVOD}{PRIVILEGED}queue: none\ngang: none\n"
"""What is left of it: in the approved namespace, in no queue, its pods started one by one."""


def test_restricted_refuses_its_launcher_and_the_way_out_is_the_other_operator() -> None:
    found = said(HOROVOD, V1_ONLY)

    assert found[1] == (
        "6:12 backend-cannot: Pod Security restricted refuses the init container that training-operator gives"
        " an MPIJob's launcher"
    )


def test_kueue_holds_none_in_a_queue() -> None:
    found = said(HOROVOD + PRIVILEGED, V1_ONLY)

    assert found[0] == (
        "6:12 backend-cannot: Kueue holds no MPIJob of training-operator in a queue: it would start past every quota"
    )


def test_out_of_the_queue_nothing_starts_its_pods_together() -> None:
    (found,) = said(HOROVOD + PRIVILEGED + "queue: none\n", V1_ONLY)

    assert found.startswith("11:8 no-gang: ")


def test_nothing_ends_it_in_time() -> None:
    found = said(HOROVOD + PRIVILEGED + "deadline: 2h\nqueue: none\n", V1_ONLY)

    assert "11:11 backend-cannot: an MPIJob (kubeflow.org/v1) cannot honour deadline" in found


def test_in_the_approved_namespace_it_is_a_launcher_and_workers_of_the_old_version() -> None:
    job = rendered(FREE, "MPIJob", V1_ONLY)

    assert (job["apiVersion"], job["metadata"]["namespace"]) == ("kubeflow.org/v1", "shop-free")
    assert replicas(job) == {"Launcher": 1, "Worker": 4}
    assert not {"sshAuthMountPath", "launcherCreationPolicy"} & set(job["spec"])


def test_the_launcher_takes_the_account_that_the_operator_makes_for_it() -> None:
    launcher, worker = (pod(rendered(FREE, "MPIJob", V1_ONLY), role) for role in ("Launcher", "Worker"))

    assert "serviceAccountName" not in launcher
    assert launcher["automountServiceAccountToken"] is True
    assert worker["automountServiceAccountToken"] is False


def test_mpirun_hands_nothing_on_for_exec_sees_the_workers_own_variables() -> None:
    job = rendered(FREE, "MPIJob", V1_ONLY)

    assert container(job, "Launcher")["command"] == [
        "mpirun",
        "-np",
        "4",
        "--bind-to",
        "none",
        "--map-by",
        "slot",
    ]
    assert "command" not in container(job, "Worker"), "the operator lets it sleep"


def test_restarts_are_those_of_the_launchers_container() -> None:
    assert rendered(FREE, "MPIJob", V1_ONLY)["spec"]["runPolicy"]["backoffLimit"] == 3


def test_the_judges_accept_what_is_left(tmp_path: Path) -> None:
    assert judged(project(tmp_path, FREE, V1_ONLY)) == ""
