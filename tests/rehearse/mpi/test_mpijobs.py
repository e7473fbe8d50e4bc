"""MPIJobs with the real mpirun, whose daemons start through the stand-ins for ssh and sshd."""

import json
from pathlib import Path

import pytest
from rehearse.kubelet.stage import namespaces_are_had
from repositories import Project, write_project

ROOT = Path(__file__).parents[3]
QUIETLY = {
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
"""In plain rooms the user of the tests is the user of the pods, and may be root."""

HELLO = """\
import os, socket
print("rank", os.environ["OMPI_COMM_WORLD_RANK"], "on", socket.gethostname(), flush=True)
"""
SLOW = """\
import os, pathlib, time
for step in range(1, 16):
    time.sleep(0.1)
    print("step", step, flush=True)
if os.environ["OMPI_COMM_WORLD_RANK"] == "0":
    pathlib.Path("/out/done").touch()
"""


def mpijob(code: str, launcher: str, restarts: str = "Never") -> str:
    indented = code.replace("\n", "\n    ")
    mounts = "[{name: code, mountPath: /code}, {name: out, mountPath: /out}]"
    volumes = "[{name: code, configMap: {name: code}}, {name: out, persistentVolumeClaim: {claimName: out}}]"
    return f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: code, namespace: ml}}
data:
  train.py: |
    {indented}
---
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: ring, namespace: ml}}
spec:
  slotsPerWorker: 1
  sshAuthMountPath: /home/mpiuser/.ssh
  launcherCreationPolicy: WaitForWorkersReady
  runPolicy: {{cleanPodPolicy: Running, backoffLimit: 1}}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          containers:
          - name: launcher
            image: registry.example.com/ring:openmpi
            securityContext: {{runAsUser: 1000}}
            command: [sh, -c, "{launcher}"]
            volumeMounts: {mounts}
          volumes: {volumes}
    Worker:
      replicas: 2
      restartPolicy: {restarts}
      template:
        spec:
          containers:
          - name: worker
            image: registry.example.com/ring:openmpi
            securityContext: {{runAsUser: 1000}}
            command: [/usr/sbin/sshd]
            args: [-De, -f, /home/mpiuser/.sshd_config]
            volumeMounts: {mounts}
          volumes: {volumes}
"""


def launcher_log(project: Project, life: int = 1, container: str = "launcher") -> list[str]:
    log = project.path / f"kept/rehearsal/pods/launcher-0.{life}/logs/{container}.log"
    return log.read_text("utf-8").splitlines()


def lives_of(project: Project, pod: str) -> int:
    events = json.loads((project.path / "record.json").read_text())["events"]
    return len([event for event in events if event["happening"] == "created" and event["pod"] == pod])


@pytest.mark.parametrize("rooms", ["auto", "plain"])
def test_mpirun_starts_a_rank_in_every_worker(tmp_path: Path, rooms: str) -> None:
    # in plain rooms words of commands are rewritten, not files: /code is a folder elsewhere there
    hello = "mpirun -n 2 python /code/train.py"
    project = write_project(tmp_path, {"job.yaml": mpijob(HELLO, hello)})
    env = [word for name, value in QUIETLY.items() for word in ("--env", f"{name}={value}")]
    done = project.run("rehearse", "--manifest", "job.yaml", "--rooms", rooms, "--keep", "kept", *env)
    assert done.code == 0, done.out + done.err
    assert "sshd and ssh are stand-ins" in done.err
    ranks = sorted(line for line in launcher_log(project) if line.startswith("rank"))
    assert [line.rpartition(" on ")[0] for line in ranks] == ["rank 0", "rank 1"]
    if rooms == "auto" and namespaces_are_had(tmp_path / "trial"):
        assert ranks == ["rank 0 on ring-worker-0", "rank 1 on ring-worker-1"]
    doors = sorted(door.name for door in project.path.glob("kept/rehearsal/doors/*"))
    assert doors in ([], ["ring-worker-0:22", "ring-worker-1:22"])


def test_our_own_mpijob_is_rehearsed_as_it_is_rendered(tmp_path: Path) -> None:
    (rendered,) = (ROOT / "rendered/aws-prod/job-nlp-bert-horovod").glob("mpijob-*.yaml")
    pretrain = {"bert/pretrain.py": HELLO, "job.yaml": rendered.read_text("utf-8")}
    project = write_project(tmp_path, pretrain)
    env = [word for name, value in QUIETLY.items() for word in ("--env", f"{name}={value}")]
    scale = ("--scale", "2x1", "--mount", f"/bert={tmp_path / 'bert'}")
    done = project.run("rehearse", "--manifest", "job.yaml", "--keep", "kept", *scale, *env)
    assert done.code == 0, done.out + done.err
    assert "-worker-3." in next(line for line in done.err.splitlines() if "left out of commands" in line)
    ranks = sorted(line for line in launcher_log(project, container="mpi") if line.startswith("rank"))
    assert len(ranks) == 2
    if namespaces_are_had(tmp_path / "trial"):
        assert [line[-9:] for line in ranks] == ["-worker-0", "-worker-1"]


CHECKED = "mpirun -n 2 python /code/train.py && test -e /out/done"
"""Open MPI 5.0.11 leaves with 0 when it loses a daemon, so the command looks whether the work is done."""


@pytest.mark.parametrize(
    ("restarts", "code", "end"),
    [("OnFailure", 0, "succeeded"), ("Never", 1, "BackoffLimitExceeded")],
    ids=["a worker that comes back", "a worker that stays dead"],
)
def test_a_killed_worker_fails_the_launcher_which_is_tried_again(
    tmp_path: Path, restarts: str, code: int, end: str
) -> None:
    project = write_project(tmp_path, {"job.yaml": mpijob(SLOW, CHECKED, restarts)})
    env = [word for name, value in QUIETLY.items() for word in ("--env", f"{name}={value}")]
    kept = ("--keep", "kept", "--json", "record.json", "--no-compare")
    fault = ("--kill", "worker-1@step=5")
    done = project.run("rehearse", "--manifest", "job.yaml", *fault, *kept, *env)
    assert done.code == code, done.out + done.err
    assert end in done.out
    assert "step 15" not in launcher_log(project)
    assert lives_of(project, "launcher-0") == 2
