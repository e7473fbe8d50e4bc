"""`kubeflow.org/v1` MPIJob of the Training Operator: a launcher, and workers that it reaches by `kubectl exec`."""

from constructs import Construct

from trainshed.compile.pod.part import PodPart
from trainshed.compile.workloads.kubeflow import TYPES, KubeflowJob, replica, run_policy
from trainshed.compile.workloads.mpirun import tell_mpirun
from trainshed.model.manifest import JsonObject
from trainshed.model.plan import Role, Target

REPLICAS = "mpiReplicaSpecs"

REACHES_WORKERS = PodPart(pod={"serviceAccountName": "", "automountServiceAccountToken": True})
"""The launcher's account is one that the operator makes: it may look for pods and exec into the run's workers."""


class MPIJobV1(KubeflowJob):
    """A run of MPI. The operator makes hostfile and rights, and keeps the workers asleep until mpirun calls them.

    What is started by exec has the variables of the worker's container. A failure starts the launcher's container
    again and no other, so restarts are those of one container.
    """

    def __init__(self, scope: Construct, target: Target) -> None:
        failures = target.restarts.failures
        spec = {
            "slotsPerWorker": target.procs_per_node,
            "runPolicy": run_policy(target, failures + 1 if failures else 0),
            REPLICAS: {TYPES[role.name]: _replica(target, role) for role in target.roles},
        }
        super().__init__(scope, target, REPLICAS, spec, {"/spec/slotsPerWorker": ("procsPerNode",)})


def _replica(target: Target, role: Role) -> JsonObject:
    if role.name != "launcher":
        return replica(target, role)
    return tell_mpirun(target, replica(target, role, REACHES_WORKERS))
