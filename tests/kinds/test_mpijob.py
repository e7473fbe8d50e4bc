"""MPIJob v2beta1: a launcher that runs mpirun, and workers that it reaches by ssh as no root. Scenario C3."""

from itertools import pairwise
from pathlib import Path

import pytest
from kinds.frameworks import (
    PRIVILEGED,
    container,
    judged,
    pod,
    project,
    rendered,
    replicas,
    said,
    specs,
)

HOROVOD = """\
framework: horovod
nodes: 4
gpus: 8
fabric: none
restarts: 2
deadline: 8h
env: {NCCL_DEBUG: INFO, WANDB_API_KEY: {secret: wandb, key: key}}
run: {script: train.py, args: [--lr, "0.1"]}
"""
OWN = "framework: mpi\nnodes: 2\nprocsPerNode: 2\nrun: {command: [mpirun, -np, '4', /opt/pi]}\n"


def exported(command: list[str]) -> set[str]:
    """The variables that mpirun hands on."""
    return {name for option, name in pairwise(command) if option == "-x"}


def test_four_nodes_are_four_workers_and_a_small_launcher_beside_them() -> None:
    job = rendered(HOROVOD, "MPIJob")

    assert job["apiVersion"] == "kubeflow.org/v2beta1"
    assert replicas(job) == {"Launcher": 1, "Worker": 4}
    launcher, worker = (container(job, role)["resources"]["limits"] for role in ("Launcher", "Worker"))
    assert launcher == {"memory": "2Gi"}
    assert worker["nvidia.com/gpu"] == "8"


def test_the_launcher_has_the_size_that_its_role_says() -> None:
    job = rendered(HOROVOD + "roles: {launcher: {cpu: 4, memory: 8Gi}}\n", "MPIJob")

    assert replicas(job) == {"Launcher": 1, "Worker": 4}
    assert container(job, "Launcher")["resources"]["requests"] == {"cpu": "4", "memory": "8Gi"}


def test_mpirun_starts_a_process_for_each_gpu_and_the_hostfile_is_the_operators() -> None:
    job = rendered(HOROVOD, "MPIJob")
    launcher = container(job, "Launcher")

    assert job["spec"]["slotsPerWorker"] == 8
    assert launcher["command"][0] == "mpirun"
    assert launcher["command"][-6:] == ["-np", "32", "--bind-to", "none", "--map-by", "slot"]
    assert launcher["args"] == ["python", "/code/train.py", "--lr", "0.1"]
    assert not {"-H", "--host", "--hostfile"} & set(launcher["command"])
    assert "--allow-run-as-root" not in launcher["command"]


def test_every_variable_is_handed_on_for_a_login_sees_none() -> None:
    job = rendered(HOROVOD, "MPIJob")
    own = {variable["name"] for variable in container(job, "Worker")["env"]}

    assert {"NCCL_DEBUG", "WANDB_API_KEY", "TRAINSHED_RUN"} <= own
    assert exported(container(job, "Launcher")["command"]) == own | {"PATH", "LD_LIBRARY_PATH"}


def test_variables_of_the_launcher_alone_stay_with_it() -> None:
    job = rendered(HOROVOD + "roles: {launcher: {env: {OMPI_MCA_btl: tcp}}}\n", "MPIJob")

    assert "OMPI_MCA_btl" in {variable["name"] for variable in container(job, "Launcher")["env"]}
    assert "OMPI_MCA_btl" not in exported(container(job, "Launcher")["command"])


def test_a_command_of_the_jobs_own_is_taken_as_it_is() -> None:
    job = rendered(OWN, "MPIJob")

    assert container(job, "Launcher")["command"] == ["mpirun", "-np", "4", "/opt/pi"]
    assert job["spec"]["slotsPerWorker"] == 2


def test_workers_listen_as_the_images_own_user() -> None:
    job = rendered(HOROVOD, "MPIJob")
    worker = container(job, "Worker")

    assert job["spec"]["sshAuthMountPath"] == "/home/mpiuser/.ssh"
    assert worker["command"] == ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"]
    assert "args" not in worker
    for role in specs(job):
        security = pod(job, role)["securityContext"]
        assert (security["runAsUser"], security["runAsGroup"], security["fsGroup"]) == (1000, 1000, 1000)
        assert (security["runAsNonRoot"], security["seccompProfile"]) == (True, {"type": "RuntimeDefault"})


def test_only_workers_get_back_the_capability_that_their_sshd_carries() -> None:
    job = rendered(HOROVOD, "MPIJob")

    assert container(job, "Launcher")["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container(job, "Worker")["securityContext"]["capabilities"] == {
        "drop": ["ALL"],
        "add": ["NET_BIND_SERVICE"],
    }


def test_root_logs_in_by_roots_own_path_and_says_so_to_mpirun() -> None:
    job = rendered(HOROVOD.replace("fabric: none", "fabric: infiniband") + PRIVILEGED, "MPIJob")

    assert job["metadata"]["namespace"] == "shop-free"
    assert job["spec"]["sshAuthMountPath"] == "/root/.ssh"
    assert container(job, "Worker")["command"] == ["/usr/sbin/sshd", "-De"]
    assert "SYS_CHROOT" in container(job, "Worker")["securityContext"]["capabilities"]["add"]
    assert "--allow-run-as-root" in container(job, "Launcher")["command"]


def test_the_launcher_waits_for_its_workers_and_they_go_when_it_has_ended() -> None:
    spec = rendered(HOROVOD, "MPIJob")["spec"]

    assert spec["launcherCreationPolicy"] == "WaitForWorkersReady"
    assert spec["runPolicy"] == {
        "cleanPodPolicy": "Running",
        "backoffLimit": 2,
        "activeDeadlineSeconds": 28800,
    }


def test_no_restart_is_written_for_the_operators_default_is_six() -> None:
    job = rendered("framework: mpi\nnodes: 2\nrun: {script: train.py}\n", "MPIJob")

    assert job["spec"]["runPolicy"]["backoffLimit"] == 0
    assert {role: part["restartPolicy"] for role, part in specs(job).items()} == {
        "Launcher": "Never",
        "Worker": "Never",
    }


def test_a_restart_is_a_new_launcher_and_a_worker_that_died_comes_back() -> None:
    job = rendered(HOROVOD, "MPIJob")

    assert {role: part["restartPolicy"] for role, part in specs(job).items()} == {
        "Launcher": "Never",
        "Worker": "OnFailure",
    }


def test_it_waits_in_the_teams_queue_which_alone_suspends_it() -> None:
    job = rendered(HOROVOD, "MPIJob")

    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "shop"
    assert "suspend" not in job["spec"]["runPolicy"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("roles: {launcher: {gpus: 1}}", "the launcher of an MPIJob trains nothing, its GPUs would idle"),
        (
            "roles: {worker: {env: {A: b}}}",
            "processes of an MPIJob log in by ssh and see no variable of their own container",
        ),
        ("envFrom: {secrets: [wandb]}", "mpirun hands variables on by name, envFrom names none"),
        ("launcher: torchrun", "the launcher of an MPIJob starts scripts with mpirun, not with torchrun"),
        ("roles: {launcher: {nodes: 2}}", "an MPIJob has one launcher"),
    ],
)
def test_what_would_be_lost_on_the_way_to_the_workers_is_refused(more: str, message: str) -> None:
    (found,) = said(f"{HOROVOD}{more}\n")

    assert found.startswith("14:")
    assert found.endswith(f"backend-cannot: {message}")


def test_a_launcher_alone_is_refused() -> None:
    (found,) = said("framework: mpi\nroles: {launcher: {}}\nrun: {script: train.py}\n")

    assert found == "7:1 missing-choice: an MPIJob with a launcher alone has nobody to train"


def test_mpirun_without_a_launcher_is_refused() -> None:
    (found,) = said("framework: pytorch\nnodes: 2\nlauncher: mpirun\nrun: {script: train.py}\n")

    assert found == "8:11 backend-cannot: a PyTorchJob has no launcher for mpirun to run on"


def test_pytorch_by_mpirun_is_a_word_away() -> None:
    job = rendered("framework: pytorch\nbackend: mpijob\nnodes: 2\nrun: {script: train.py}\n", "MPIJob")

    assert container(job, "Launcher")["command"][0] == "mpirun"


def test_the_judges_accept_script_and_command(tmp_path: Path) -> None:
    for name, job in {"script": HOROVOD, "command": OWN}.items():
        assert judged(project(tmp_path / name, job)) == ""


def test_the_launcher_waits_for_the_name_of_each_worker_which_no_creation_policy_does_in_a_queue() -> None:
    job = rendered(HOROVOD, "MPIJob")
    (wait,) = pod(job, "Launcher")["initContainers"]
    run = job["metadata"]["name"]

    assert wait["command"][-4:] == [f"{run}-worker-{i}.{run}.team-shop.svc" for i in range(4)]
    assert wait["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "initContainers" not in pod(job, "Worker")


def test_setup_is_refused_for_it_would_prepare_the_launcher_alone() -> None:
    (found,) = said("framework: mpi\nnodes: 2\nrun: {script: train.py, setup: [pip install horovod]}\n")

    assert found.endswith("backend-cannot: an MPIJob cannot honour run.setup")


def test_variables_that_an_mpirun_of_the_jobs_own_keeps_to_itself_are_said() -> None:
    env = "env: {OMP_NUM_THREADS: '4', NCCL_DEBUG: INFO}\n"
    named = OWN.replace("mpirun, -np", "mpirun, -x, NCCL_DEBUG=WARN, -np")
    (found,) = said(named + env)
    assert (
        "backend-cannot: OMP_NUM_THREADS does not reach the workers: mpirun hands on what -x names" in found
    )
    assert said(OWN.replace("mpirun, -np", "/opt/start, -np") + env) == []
