"""`kubeflow.org/v2beta1` MPIJob: a launcher, and workers that it reaches by ssh."""

from collections.abc import Mapping
from dataclasses import dataclass

from constructs import Construct

from trainshed.catalog.installed import release_of
from trainshed.compile.labels import run_metadata
from trainshed.compile.objects import PlainObject
from trainshed.compile.origins import run_origins
from trainshed.compile.plain import without_empty
from trainshed.compile.pod.part import PodPart
from trainshed.compile.pod.resources import resources
from trainshed.compile.pod.security import security_context
from trainshed.compile.workloads.kubeflow import (
    TYPES,
    replica,
    replica_origins,
    replica_templates,
    run_policy,
)
from trainshed.compile.workloads.mpirun import tell_mpirun
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Role, Target

API_VERSION = "kubeflow.org/v2beta1"
REPLICAS = "mpiReplicaSpecs"


@dataclass(frozen=True, slots=True)
class Login:
    """How ssh gets into a worker: where the operator mounts the keys, what listens, what the kernel must let it do."""

    keys: str
    server: tuple[str, ...]
    capabilities: tuple[str, ...]


_SSHD = "/usr/sbin/sshd"
BY_ROOT = Login("/root/.ssh", (_SSHD, "-De"), ("SETGID", "SETUID", "SYS_CHROOT"))
BY_MPIUSER = Login(
    "/home/mpiuser/.ssh", (_SSHD, "-De", "-f", "/home/mpiuser/.sshd_config"), ("NET_BIND_SERVICE",)
)
"""A convention of images that are made from `mpioperator/base` (kubeflow/mpi-operator, `build/base/Dockerfile`).

There sshd carries the file capability NET_BIND_SERVICE, though it listens at 2222, and the kernel starts no program
whose capability it cannot grant; Pod Security restricted lets a container add this one back. As root sshd leaves its
privileges behind by chroot, setgid and setuid (kubeflow/mpi-operator#642).
"""


class MPIJob(PlainObject):
    """A run of MPI. The launcher, a Job, runs the program; the workers wait for it to log in.

    The operator makes keys, hostfile and names. A restart is a new launcher; a launcher that nobody may restart ends
    the run with its first failure.
    """

    def __init__(self, scope: Construct, target: Target) -> None:
        login = BY_ROOT if target.run_as.user == 0 else BY_MPIUSER
        policy = {
            **run_policy(target, target.restarts.failures),
            "activeDeadlineSeconds": target.deadline_seconds or None,
        }
        spec = {
            "slotsPerWorker": target.procs_per_node,
            "sshAuthMountPath": login.keys,
            "launcherCreationPolicy": _creation_policy(target),
            "runPolicy": without_empty(policy),
            REPLICAS: _replicas(target, login),
        }
        own = {
            "/spec/slotsPerWorker": ("procsPerNode",),
            "/spec/sshAuthMountPath": ("security", "runAs"),
            "/spec/runPolicy/activeDeadlineSeconds": ("deadline",),
            **replica_origins(target, REPLICAS),
        }
        super().__init__(
            scope,
            "run",
            {
                "apiVersion": API_VERSION,
                "kind": "MPIJob",
                "metadata": run_metadata(target),
                "spec": without_empty(spec),
            },
            run_origins(target, own, replica_templates(target, REPLICAS)),
        )


WAIT = 'for name in "$@"; do until getent hosts "$name" >/dev/null; do sleep 2; done; done'


def _waiting(target: Target, launcher: Role) -> PodPart:
    """Wait until each worker has an address, which its Service gives it when it is ready.

    A launcher that starts before fails, for ssh tries an unknown name once. The operator keeps it back by its creation
    policy, but not where a queue had suspended the job: then it makes the launcher before there are workers to count.
    """
    workers = (role for role in target.roles if role.name != launcher.name)
    domain = f"{target.run}.{target.namespace}.svc"
    names = [f"{target.run}-{role.name}-{i}.{domain}" for role in workers for i in range(role.pods)]
    init = {
        "name": "wait-for-workers",
        "image": launcher.group.image or target.image,
        "imagePullPolicy": target.image_pull_policy,
        "command": ["sh", "-c", WAIT, "wait-for-workers", *names],
        "resources": resources({"cpu": "100m", "memory": "64Mi"}),
        "securityContext": security_context(target),
    }
    return PodPart(inits=(without_empty(init),))


def _creation_policy(target: Target) -> str:
    release = release_of(target.cluster.operators["mpi-operator"])
    return "WaitForWorkersReady" if release.can("launcher-creation-policy") else ""


def _replicas(target: Target, login: Login) -> dict[str, JsonObject]:
    """The workers, and the launcher that tells mpirun what their processes need."""
    (launcher, *workers) = target.roles
    made = {TYPES[role.name]: _worker(target, role, login) for role in workers}
    start = replica(target, launcher, _waiting(target, launcher))
    (worker,) = made.values()
    return {TYPES[launcher.name]: {**tell_mpirun(target, start, worker), "restartPolicy": "Never"}, **made}


def _worker(target: Target, role: Role, login: Login) -> JsonObject:
    return replica(target, role, PodPart(container=_listening(target, role, login)))


def _listening(target: Target, role: Role, login: Login) -> Mapping[str, object]:
    """A worker's container: sshd in place of a program."""
    context = security_context(target, role.group.fabric)
    if not target.privileged:
        capabilities = context["capabilities"]
        added = sorted({*capabilities.get("add", ()), *login.capabilities})
        context = {**context, "capabilities": {**capabilities, "add": added}}
    return {"command": list(login.server), "securityContext": context}
